/** The names and tokens of sandboxes, and the context of all parts that keep sandboxes. */
import type { Logger } from '../../observe/log.ts';
import { hasQuota } from '../../plants/plant.ts';
import type { PlantStore } from '../../plants/plant-store.ts';
import { randomName } from '../../util/random-name.ts';
import type { Quotas } from './quotas.ts';
import type { Sandbox, SandboxRecords } from './sandbox-records.ts';

export interface SandboxLimits {
  /** The maximum number of sandboxes, in all and for each address. */
  readonly most: number;
  readonly mostPerAddress: number;
  /** The longest lifetime of a sandbox, in milliseconds. */
  readonly ttl: number;
  /** The maximum number of plants in a sandbox. */
  readonly plants: number;
  /** The most bytes that the plants of a sandbox take. */
  readonly size: number;
}

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
  readonly quotas: Quotas;
  readonly plants: PlantStore;
  readonly limits: SandboxLimits;
  readonly times: SandboxTimes;
  /** The only clock: milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
  /** How many sandboxes this process has created, refused and deleted after they expired. */
  readonly counts: { created: number; refused: number; expired: number };
}

export const DEMO_ID = 'demo';
/** The expiry of a demo's sandbox: the latest time that a Date can hold. */
export const NEVER = 8.64e15;
export const isDemo = ({ expiresAt }: Pick<Sandbox, 'expiresAt'>) => expiresAt === NEVER;

export const TOKEN_PREFIX = 'pss_';

/** Whether a token belongs to a sandbox by its text. No token is ever tried as two kinds. */
export const looksLikeSandbox = (token: string) => token.startsWith(TOKEN_PREFIX);

export const newSandboxId = () => randomName(12);

/** The store of a sandbox. No valid store name has a tilde, so no operator's token can name the store of a sandbox. */
export const storeOf = (id: string) => `~${id}`;

/** The revision of rules that are being set. A time would not be unique. */
export const newRevision = () => randomName(8);

/** The id of the sandbox that a store belongs to; undefined for the store of an operator's token. */
export const idOfStore = (store: string): string | undefined => (hasQuota(store) ? store.slice(1) : undefined);

/** Returns a check whether fewer milliseconds have passed since a time. It is false if the clock was set back. */
export function createIsWithin(now: () => number): (milliseconds: number, since: number) => boolean {
  return (milliseconds, since) => {
    const passed = now() - since;
    return passed >= 0 && passed < milliseconds;
  };
}
