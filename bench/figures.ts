/** Owns what a run of the benchmark found: everything that the report is made of. */
import type { Machine } from './machine.ts';
import type { Cpu } from './process-tree.ts';
import type { Session } from './session.ts';

/** The machine's disk as it is, or with 3 ms more for every sync. */
export type Disk = 'usual' | 'slow';

export interface Case {
  readonly round: number;
  readonly disk: Disk;
  readonly workload: string;
  readonly server: string;
}

/** Gets at a light rate on the slow disk while creates run. */
export interface Reads {
  readonly round: number;
  /** The load of creates, as a part of the most that there can be. */
  readonly creates: 'full' | 'half';
  readonly createsPerSecond: number;
  readonly getsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

export interface Ready {
  readonly server: string;
  readonly stored: number;
  /** From the start of the process to its first 200, start by start. */
  readonly milliseconds: readonly number[];
}

/** One server that is given ten million creates at full load. */
export interface TenMillion {
  readonly creates: number;
  readonly seconds: number;
  /** A create, in microseconds. */
  readonly cpu: Cpu;
  /** At its most, MB. */
  readonly peakMemory: number;
  /** At rest after them, MB. */
  readonly memoryAfter: number;
}

/** Memory under full load over a long time. */
export interface Soak {
  readonly date: string;
  readonly commit: string;
  readonly workload: string;
  readonly requests: number;
  readonly samples: readonly { readonly minutes: number; readonly megabytes: number }[];
}

export interface Figures {
  readonly date: string;
  readonly commit: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly rounds: number;
  readonly seconds: number;
  readonly servers: readonly { readonly name: string; readonly note: string; readonly durable: boolean }[];
  readonly sessions: readonly (Case & Session)[];
  readonly failures: readonly (Case & { readonly message: string })[];
  readonly reads: readonly Reads[];
  readonly ready: readonly Ready[];
  readonly tenMillion: TenMillion | undefined;
  readonly soak: Soak | undefined;
}

/** Whether a load was near enough to half of the maximum for its latencies to count. */
export function isHalf(share: number): boolean {
  return Math.abs(share - 0.5) <= 0.05;
}

/** The gets beside creates at such a load: of those at half load, the ones whose load was near enough to half. */
export function readsBeside({ reads }: Figures, load: Reads['creates']): readonly Reads[] {
  const most = new Map(
    reads.filter(({ creates }) => creates === 'full').map((one) => [one.round, one.createsPerSecond]),
  );
  return reads.filter(
    ({ creates, round, createsPerSecond }) =>
      creates === load && (load === 'full' || isHalf(createsPerSecond / (most.get(round) ?? Number.NaN))),
  );
}
