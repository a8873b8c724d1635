/** Figures, their spread, and their format. */

/** The keys name what was measured, with the unit. */
export type Figures = Readonly<Record<string, number>>;

/** The figures of each round, by server. */
export type Rounds = ReadonlyMap<string, readonly Figures[]>;

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The median of an even number of values is the mean of the two in the middle. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, low: at(0), high: at(sorted.length - 1) };
}

/** Formats with three significant digits and a separator for thousands. */
export function number(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 2 });
}
