/** What an attack on a service led to. */
import type { Counts } from './counting-client.ts';
import type { Latency } from './innocents.ts';

/** What one client saw in one round. */
export interface Round {
  readonly quiet: Latency;
  readonly attacked: Latency;
}

export interface Outcome {
  readonly visitor: readonly Round[];
  readonly operator: readonly Round[];
  readonly got: readonly Counts[];
  readonly sandboxes: number;
  /** Peak resident memory in MB. */
  readonly memory: number;
  /** Size of the database with its write-ahead log (SQLite), or of all tables and indexes (PostgreSQL), in MB. */
  readonly size: number;
  readonly hasEnded: boolean;
  readonly confirmed: number;
  readonly lost: number;
}
