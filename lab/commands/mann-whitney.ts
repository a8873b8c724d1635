/** The Mann-Whitney U test of two samples, and its effect size. */

export interface Comparison {
  /** How many pairs have a larger first value; a pair of equal values counts half. */
  readonly u: number;
  /** The probability that a first value is larger than a second one (Vargha and Delaney, 2000). 0.5: no difference. */
  readonly a12: number;
  /** The two-sided p-value: at most this probability has a difference that is at least as large by chance. */
  readonly p: number;
}

/** The Mann-Whitney U test, by the exact distribution of the rank sum, also with equal values. */
export function mannWhitney(first: readonly number[], second: readonly number[]): Comparison {
  const all = [...first, ...second];
  // Twice the mean rank, which is an integer also for equal values.
  const ranks = all.map((value) => 1 + 2 * count(all, (one) => one < value) + count(all, (one) => one === value));
  const sum = ranks.slice(0, first.length).reduce((sum, rank) => sum + rank, 0);
  const u = sum / 2 - (first.length * (first.length + 1)) / 2;
  const sums = sumsOfSubsets(ranks, first.length);
  const mean = first.length * (all.length + 1);
  const [extreme, total] = sums.reduce(
    ([extreme, total], ways, one) => [
      extreme + (Math.abs(one - mean) >= Math.abs(sum - mean) ? ways : 0),
      total + ways,
    ],
    [0, 0],
  );
  return { u, a12: u / (first.length * second.length), p: extreme / total };
}

const count = (values: readonly number[], holds: (value: number) => boolean) => values.filter(holds).length;

/** For each sum, in how many ways `size` of the numbers have it. */
function sumsOfSubsets(numbers: readonly number[], size: number): readonly number[] {
  const most = numbers.reduce((sum, one) => sum + one, 0);
  const ways = Array.from({ length: size + 1 }, () => new Float64Array(most + 1));
  const empty = ways[0];
  if (empty !== undefined) empty[0] = 1;
  let total = 0;
  numbers.forEach((number, i) => {
    total += number;
    for (let chosen = Math.min(size, i + 1); chosen > 0; chosen--) {
      const [to, from] = [ways[chosen], ways[chosen - 1]];
      if (to === undefined || from === undefined) continue;
      for (let sum = total; sum >= number; sum--) to[sum] = (to[sum] ?? 0) + (from[sum - number] ?? 0);
    }
  });
  return [...(ways[size] ?? [])];
}
