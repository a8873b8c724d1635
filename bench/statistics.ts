/** Owns the arithmetic of the benchmark: medians, spreads, ratios and trends. */

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The middle one, or the mean of the two in the middle; undefined of nothing. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

export function spread(values: readonly number[]): Spread | undefined {
  const middle = median(values);
  if (middle === undefined) return undefined;
  return { median: middle, low: Math.min(...values), high: Math.max(...values) };
}

/** How many times the second each value of the first is, round by round; a round that lacks one of them does not count. */
export function ratios(first: ReadonlyMap<number, number>, second: ReadonlyMap<number, number>): readonly number[] {
  return [...first].flatMap(([round, value]) => {
    const base = second.get(round);
    return base === undefined ? [] : [value / base];
  });
}

/** The slope of the straight line that fits the points best (least squares). */
export function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  return mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
}
