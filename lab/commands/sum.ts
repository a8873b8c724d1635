/** The sum of a tester's score in one sentence. */
import type { Outcome } from '../grade/score.ts';

const ORDER: readonly Outcome[] = ['found', 'noticed', 'missed', 'not judged', 'not triggered'];

/** For example `11 of 83 defects noticed, 10 missed, 62 not triggered`. With one seed no defect is found. */
export function sumOf(defects: readonly { readonly outcome: Outcome }[], seeds: number): string {
  const best: Outcome = seeds === 1 ? 'noticed' : 'found';
  const counts = ORDER.map((outcome) => ({ outcome, count: defects.filter((one) => one.outcome === outcome).length }));
  return counts
    .filter(({ outcome, count }) => count > 0 || outcome === best)
    .map(({ outcome, count }, i) => `${count}${i === 0 ? ` of ${defects.length} defects` : ''} ${outcome}`)
    .join(', ');
}
