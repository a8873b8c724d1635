/** Plants of which nearly every one writes a page of its own: ids over the whole range, out of order, and long names. */

/** The same id for the same index, and no two the same: the multiplier is odd. */
export function scatteredId(index: number | bigint): bigint {
  return BigInt.asIntN(64, BigInt(index) * 0x9e3779b97f4a7c15n);
}

export const LONG_NAME = 'x'.repeat(900);
