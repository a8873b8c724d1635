/** The names and tokens of sandboxes, and the context of all parts that keep sandboxes. */
import type { Logger } from '../../observe/log.ts';
import type { PlantStore } from '../../plants/plant-store.ts';
import type { SandboxConfig } from './options.ts';
import type { Sandbox, SandboxRecords } from './sandbox-records.ts';

/** Milliseconds. Tests use shorter times. */
export interface SandboxTimes {
  /** How long the cache is used without a check. Changes by other replicas apply within a second. */
  readonly fresh: number;
  /** The pause between two sweeps. */
  readonly sweep: number;
  /** How long an expired sandbox is kept, for the requests that still use its plants. */
  readonly grace: number;
}
export const SANDBOX_TIMES: SandboxTimes = { fresh: 400, sweep: 1_000, grace: 10_000 };

export interface SandboxContext {
  readonly records: SandboxRecords;
  readonly plants: PlantStore;
  readonly limits: SandboxConfig & { readonly sandboxes: number };
  readonly times: SandboxTimes;
  /** The only clock: milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
  /** How many sandboxes this process has created, refused and deleted after they expired, and requests with a fault. */
  readonly counts: { created: number; refused: number; expired: number; faults: number };
}

export const DEMO_ID = 'demo';
/** The expiry of a demo's sandbox: the latest time that a Date can hold. */
export const NEVER = 8.64e15;
export const isDemo = ({ expiresAt }: Pick<Sandbox, 'expiresAt'>) => expiresAt === NEVER;

export const TOKEN_PREFIX = 'pss_';

/** The store of a sandbox. No valid store name has a tilde, so no operator's token can name the store of a sandbox. */
export const storeOf = (id: string) => `~${id}`;
