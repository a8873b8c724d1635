/** What was measured, and how it is shown. */

/** By what they measure, with the unit. */
export type Figures = Readonly<Record<string, number>>;

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

/** Three significant digits, and thousands apart. */
export function number(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 2 });
}
