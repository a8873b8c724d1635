/** Makes docs/grade-results-by-defect.md: which tester noticed which defect. */

import { table } from '../../scripts/markdown.ts';
import type { GradeResult } from '../commands/grade-result.ts';
import type { Tested } from './row.ts';

/** All results must have the same defects. */
export function describeDefects(tested: readonly Tested[]): string {
  const graded = tested.flatMap(({ tester, result }) => (typeof result === 'string' ? [] : [{ tester, result }]));
  return `# API testers, defect by defect

<!-- guide: Grade 55, under grade-results -->
<!-- Made by npm run grade:testers; not to be edited. -->

[What API testers find](grade-results.md) has the scores, and how the testers were run.

With one seed a cell is *named*, *noticed* or *missed*. With more seeds a cell such as 5 of 5 (4) ✓ has the number of
runs that noticed the defect, and in brackets the number of runs that named it. ✓ marks a defect that is found. – means
that no request of the tester triggered the defect.

${table(
  ['Defect', 'Tier', ...graded.map(({ tester }) => tester.tester)],
  (graded[0]?.result.defects ?? []).map(({ name, tier }) => [
    `[${name}](defects-${tier}.md#${name})`,
    tier,
    ...graded.map(({ result }) => outcomeOf(result, name)),
  ]),
)}
`;
}

function outcomeOf({ defects, options }: GradeResult, name: string): string {
  const defect = defects.find((one) => one.name === name);
  if (defect === undefined || defect.outcome === 'not triggered') return '–';
  const { outcome, noticed, named } = defect;
  if (options.seeds === 1) return named.runs > 0 ? 'named' : outcome;
  return noticed.runs === 0
    ? outcome
    : `${noticed.runs} of ${noticed.of} (${named.runs})${noticed.isFound ? ' ✓' : ''}`;
}
