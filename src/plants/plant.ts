/** A plant, its version, and the store that it belongs to. */

/** An int64, from -9223372036854775808 to 9223372036854775807. A JavaScript number cannot represent all of them. */
export type PlantId = bigint;

/** The name of a store. Each store is a tenant with its own ids. */
export type StoreName = string;

/** The pattern is safe in logs, file names and JWT claims. */
const STORE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const STORE_NAME_RULE = '1 to 64 characters of A-Z a-z 0-9 . _ -, the first a letter or a digit';

export function isStoreName(text: unknown): text is StoreName {
  return typeof text === 'string' && STORE_NAME.test(text);
}

/**
 * Whether a store has a quota. The first character of its name is a tilde, which no other store name contains. So every
 * process knows before its first write that the store has a quota.
 */
export function hasQuota(store: StoreName): boolean {
  return store.startsWith('~');
}

/** The most code points of a name or a tag, as in the description. */
export const MAX_TEXT = 1024;

/** `name` and `tag` have at most MAX_TEXT code points, without U+0000 and unpaired surrogates. */
export interface Plant {
  readonly name: string;
  readonly tag?: string;
}

export interface StoredPlant extends Plant {
  readonly id: PlantId;
}

/** A plant and its version. A version is never used again for other content of the same id. */
export interface VersionedPlant extends StoredPlant {
  readonly version: bigint;
}

const FIRST_VERSION_RANGE = 2 ** 47;

/** A random version for a new plant, 1 or more, so that deleting and creating a plant again repeats no version. */
export function firstVersion(random: () => number): bigint {
  return BigInt(1 + Math.floor(random() * FIRST_VERSION_RANGE));
}
