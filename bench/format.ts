/** Owns how figures are written: no more digits than mean something. */
import type { Spread } from './statistics.ts';

export function number(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** The median, and from the lowest to the highest; a dash where nothing was measured. */
export function withSpread(values: Spread | undefined): string {
  if (values === undefined) return '–';
  const { median, low, high } = values;
  return low === high ? number(median) : `${number(median)} (${number(low)}–${number(high)})`;
}

export function middle(values: Spread | undefined): string {
  return values === undefined ? '–' : number(values.median);
}
