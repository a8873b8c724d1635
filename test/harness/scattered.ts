/** Plants that nearly all change different database pages: long names, and random ids over the whole range. */

/** Returns a different id for each index, since the multiplier is odd, and always the same for the same index. */
export function scatteredId(index: number | bigint): bigint {
  return BigInt.asIntN(64, BigInt(index) * 0x9e3779b97f4a7c15n);
}

export const LONG_NAME = 'x'.repeat(900);
