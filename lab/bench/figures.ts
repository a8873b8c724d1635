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

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  return { median: at(0.5), low: at(0), high: at(1) };
}

/** Formats with three significant digits and a separator for thousands. */
export function number(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 2 });
}
