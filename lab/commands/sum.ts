/** The sum of a tester's score in one sentence. */
import type { Outcome } from '../grade/score.ts';

const PARTS: readonly (readonly [outcome: Outcome, text: string])[] = [
  ['found', 'found'],
  ['noticed', 'noticed'],
  ['missed', 'missed'],
  ['not judged', 'not judged'],
  ['not triggered', 'never triggered'],
];

/** For example `11 of 83 defects noticed, 10 missed, 62 never triggered`. With one seed no defect is found. */
export function sumOf(defects: readonly { readonly outcome: Outcome }[], seeds: number): string {
  const best: Outcome = seeds === 1 ? 'noticed' : 'found';
  const counts = PARTS.map(([outcome, text]) => ({
    outcome,
    text,
    count: defects.filter((one) => one.outcome === outcome).length,
  }));
  const shown = counts.filter(({ outcome, count }) => count > 0 || outcome === best);
  return shown
    .map(({ count, text }, i) => (i === 0 ? `${count} of ${defects.length} defects ${text}` : `${count} ${text}`))
    .join(', ');
}
