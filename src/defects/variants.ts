/** Draws the variants of defects: the same kind of deviation at another operation, member, status or limit. */
import { createHash } from 'node:crypto';
import type { Draw, TierDefect, Variant } from './defect.ts';

/** Draws the published defect. */
export const PUBLISHED: Draw = { of: (first) => first };

/**
 * Draws the variant of a seed. It depends only on the seed and the name, so a new defect changes no other. The first
 * draw never chooses the first value, so no variant is the published defect.
 */
export function drawVariant(name: string, seed: number): Draw {
  let draws = 0;
  return {
    of(first, ...more) {
      const choices = draws === 0 && more.length > 0 ? more : [first, ...more];
      const hash = createHash('sha256').update(`${seed} ${name} ${draws++}`).digest();
      return choices[hash.readUInt32BE() % choices.length] as typeof first;
    },
  };
}

/** Makes every variant, the published defect first. */
export function everyVariant<T>(vary: (draw: Draw) => T): readonly T[] {
  const found: T[] = [];
  let chosen: readonly number[] = [];
  for (;;) {
    const drawn: { readonly index: number; readonly isLast: boolean }[] = [];
    const draw: Draw = {
      of(first, ...more) {
        const index = chosen[drawn.length] ?? 0;
        drawn.push({ index, isLast: index === more.length });
        return [first, ...more][index] as typeof first;
      },
    };
    found.push(vary(draw));
    // Counts up, like an odometer whose last wheel turns first.
    const wheel = drawn.findLastIndex(({ isLast }) => !isLast);
    if (wheel < 0) return found;
    chosen = drawn.slice(0, wheel + 1).map(({ index }, i) => (i === wheel ? index + 1 : index));
  }
}

/** A defect with a variant for each choice. The published defect has the first. */
export function forEach<const T>(name: string, choices: readonly T[], make: (choice: T) => Variant): TierDefect {
  const [first, ...more] = choices;
  if (first === undefined) throw new Error(`${name} has no variant`);
  return { name, vary: (draw) => make(draw.of<T>(first, ...more)) };
}

/** Each value with each other value, such as each field with each limit. */
export const pairs = <const A, const B>(values: readonly A[], others: readonly B[]): readonly (readonly [A, B])[] =>
  others.flatMap((other) => values.map((value) => [value, other] as const));

/** The ids that a variant concerns: all, or the multiples of a number. 12 is one of them. */
export interface Ids {
  includes(id: bigint): boolean;
  /** The end of a sentence. */
  readonly where: string;
}

/** A defect whose variants concern different ids. */
export function forIds(name: string, make: (ids: Ids) => Variant): TierDefect {
  return forEach(name, [1n, 2n, 3n, 4n, 6n, 12n], (step) =>
    make({
      includes: (id) => id % step === 0n,
      where: step === 1n ? '' : `, if the id is a multiple of ${step}`,
    }),
  );
}
