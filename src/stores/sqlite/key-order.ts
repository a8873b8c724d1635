/** Owns putting ids in key order: neighbours share a page of the file, which is then touched once. */

const DIGITS = 65_536;

/** The positions of `ids` by ascending id, equal ids in the order given: a radix sort, 16 bits a pass. */
export function keyOrder(ids: BigInt64Array): Uint32Array {
  let order = Uint32Array.from(ids, (_, i) => i);
  if (isAscending(ids)) return order;
  const halves = new Uint16Array(ids.buffer, ids.byteOffset, ids.length * 4);
  let next = new Uint32Array(ids.length);
  for (const half of LITTLE_ENDIAN ? [0, 1, 2, 3] : [3, 2, 1, 0]) {
    // The sign bit turned over makes negative ids the smaller ones.
    const flip = half === (LITTLE_ENDIAN ? 3 : 0) ? 0x8000 : 0;
    const starts = new Uint32Array(DIGITS + 1);
    for (let i = 0; i < ids.length; i++) count(starts, ((halves[i * 4 + half] as number) ^ flip) + 1);
    for (let digit = 0; digit < DIGITS; digit++) starts[digit + 1] = at(starts, digit + 1) + at(starts, digit);
    for (const position of order) next[count(starts, (halves[position * 4 + half] as number) ^ flip)] = position;
    [order, next] = [next, order];
  }
  return order;
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function at(values: Uint32Array, index: number): number {
  return values[index] as number;
}

function count(values: Uint32Array, index: number): number {
  const before = at(values, index);
  values[index] = before + 1;
  return before;
}

function isAscending(ids: BigInt64Array): boolean {
  for (let i = 1; i < ids.length; i++) if ((ids[i] as bigint) < (ids[i - 1] as bigint)) return false;
  return true;
}
