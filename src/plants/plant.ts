/** A plant, its version, and the store it belongs to. */

/** An int64, -9223372036854775808 to 9223372036854775807; never a JavaScript number, which cannot hold it. */
export type PlantId = bigint;

/** The name of a store: a tenant, whose ids are its own. */
export type StoreName = string;

/** Plain enough for logs, file names and JWT claims. */
const STORE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const STORE_NAME_RULE = '1 to 64 characters of A-Z a-z 0-9 . _ -, the first a letter or a digit';

export function isStoreName(text: unknown): text is StoreName {
  return typeof text === 'string' && STORE_NAME.test(text);
}

/** The code points that a name or a tag may have, as in the description. */
export const MAX_TEXT = 1024;

/** Name and tag: text of up to `MAX_TEXT` without U+0000 and unpaired surrogates. A plant without a tag has no such member. */
export interface Plant {
  readonly name: string;
  readonly tag?: string;
}

export interface StoredPlant extends Plant {
  readonly id: PlantId;
}

/** A plant with its version: a number that never comes back for another content of the same id. */
export interface VersionedPlant extends StoredPlant {
  readonly version: bigint;
}

const FIRST_VERSION_RANGE = 2 ** 47;

/** The version of a new plant: at random from 1 up, so that a plant deleted and created again never repeats one. */
export function firstVersion(random: () => number): bigint {
  return BigInt(1 + Math.floor(random() * FIRST_VERSION_RANGE));
}
