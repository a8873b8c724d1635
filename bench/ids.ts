/** Owns which ids the plants of the benchmark have: the plant of an index, the same here as in load.lua. */

/** The finaliser of MurmurHash3: every 32 bits to other 32 bits, as if at random, and no two to the same. */
function mixed(n: number): number {
  let hash = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Ids at random within 2^53, as peers that hold ids in JavaScript numbers would garble any beyond. */
export function randomId(index: number): number {
  return (mixed(index) >>> 0) * 2 ** 21 + (mixed(index ^ 0x5bd1e995) & 0x1fffff);
}

/** Ids at random over the whole int64 range. */
export function randomInt64(index: number): bigint {
  return (BigInt(mixed(index)) << 32n) + BigInt(mixed(index ^ 0x5bd1e995) >>> 0);
}
