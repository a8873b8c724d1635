/**
 * Random numbers from 0 up to 1. The same seed gives the same numbers. They choose requests and simulate luck; secrets
 * need node:crypto.
 */
export function createRandom(seed: number): () => number {
  // Mulberry32, a generator with a state of 32 bits.
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
