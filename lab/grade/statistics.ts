/** Statistics that compare runs. Fisher's test is exact. Wilson's interval assumes a normal distribution. */

/** The 97.5 % quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/** A share of runs: how many of how many. */
export interface Share {
  readonly runs: number;
  readonly of: number;
}

/** The 95 % interval of a share by Wilson (1927), without continuity correction. */
export function wilson({ runs, of }: Share): readonly [low: number, high: number] {
  if (of === 0) return [0, 1];
  const share = runs / of;
  const centre = share + Z ** 2 / (2 * of);
  const spread = Z * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  const scale = 1 + Z ** 2 / of;
  return [Math.max(0, (centre - spread) / scale), Math.min(1, (centre + spread) / scale)];
}

/**
 * Fisher's exact test: the probability that chance puts an event into at least `first.runs` runs of the first group.
 * The number of runs with the event in both groups together is given. Small if the first group has a higher rate.
 */
export function fisher(first: Share, second: Share): number {
  const [, greater] = tails(first, second);
  return greater;
}

/** Fisher's exact test of equal rates: twice the smaller tail, at most 1. */
export function fisherTwoSided(first: Share, second: Share): number {
  return Math.min(1, 2 * Math.min(...tails(first, second)));
}

/** The probabilities of at most, and of at least, as many events in the first group. */
function tails(first: Share, second: Share): readonly [less: number, greater: number] {
  const events = first.runs + second.runs;
  const [least, most] = [Math.max(0, events - second.of), Math.min(first.of, events)];
  // Weights relative to the smallest number. Each follows from the one before, so that no binomial overflows.
  let [weight, less, greater, all] = [1, 0, 0, 0];
  for (let runs = least; runs <= most; runs++) {
    if (runs <= first.runs) less += weight;
    if (runs >= first.runs) greater += weight;
    all += weight;
    weight *= ((first.of - runs) * (events - runs)) / ((runs + 1) * (second.of - events + runs + 1));
  }
  return [less / all, greater / all];
}

/** The median. For an even number of values, the larger of the two in the middle. Undefined without values. */
export function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Whether Benjamini and Hochberg (1995) accept each p-value. On average at most `share` of the accepted is false. */
export function significant(values: readonly number[], share: number): readonly boolean[] {
  const sorted = values.toSorted((a, b) => a - b);
  const last = sorted.findLastIndex((value, i) => value <= (share * (i + 1)) / values.length);
  const largest = sorted[last] ?? -1;
  return values.map((value) => value <= largest);
}
