/** The variants of defects: the same kind of deviation at another operation, member, status or limit. */
import { createHash } from 'node:crypto';
import type { OperationId, TierDefect, Variant } from './defect.ts';

/**
 * The place of the variant of a seed among `count` variants. It depends on no other defect. It is never 0, the place of
 * the published defect, unless that is the only variant.
 */
export function placeOf(name: string, seed: number, count: number): number {
  const hash = createHash('sha256').update(`${seed} ${name} 0`).digest();
  return count === 1 ? 0 : 1 + (hash.readUInt32BE() % (count - 1));
}

/** A defect with a variant for each choice. The published defect has the first. */
export const forEach = <const T, O extends string = OperationId | 'any'>(
  name: string,
  choices: readonly T[],
  make: (choice: T) => Variant<O>,
): TierDefect<O> => ({
  name,
  variants: choices.map(make),
});

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
export const forIds = <O extends string = OperationId | 'any'>(
  name: string,
  make: (ids: Ids) => Variant<O>,
): TierDefect<O> =>
  forEach(name, [1n, 2n, 3n, 4n, 6n, 12n], (step) =>
    make({
      includes: (id) => id % step === 0n,
      where: step === 1n ? '' : `, if the id is a multiple of ${step}`,
    }),
  );
