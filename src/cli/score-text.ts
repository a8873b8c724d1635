/** The score of a tester as text. */

import type { Grading, Run } from '../grade/grade.ts';
import type { Score } from '../grade/score.ts';
import { version } from '../version.generated.ts';
import { columns, wrap } from './output.ts';

const TITLE = 'Found / triggered / planted, by tier and by whether the rule is in a schema or only in prose';

export function scoreText(score: Score, runs: readonly Run[], grading: Grading, isCut: boolean, width: number): string {
  const { tiers, defects, falseAlarms, groundless } = score;
  const controls = runs.filter(({ defect }) => defect === undefined).length;
  const cut = isCut ? [`Stopped: ${defects.length} of ${grading.defects.length} defects were graded.`] : [];
  const cell = ({ found, triggered, planted }: Score['tiers'][number]['schema']) =>
    planted === 0 ? '–' : `${found} / ${triggered} / ${planted}`;
  const rows = tiers.map(({ tier, schema, prose }) => [tier, cell(schema), cell(prose)]);
  const table = columns([['TIER', 'IN A SCHEMA', 'IN PROSE ONLY'], ...rows]);
  const list = (title: string, outcome: string) => {
    const of = defects.filter((each) => each.outcome === outcome);
    const lines = of.map(({ defect: { name, does } }) => [`  ${name}`, does]);
    return of.length === 0 ? [] : [`${title}:\n${columns(lines, width)}`];
  };
  const alarms = [
    `False alarms: ${falseAlarms.length} of ${controls} control${controls === 1 ? '' : 's'}${listNames(falseAlarms)}`,
    ...(groundless.length === 0
      ? []
      : [`and ${groundless.length} runs with a new finding whose defect was not triggered${listNames(groundless)}`]),
  ];
  const unread = runs.filter((run) => run.unread !== undefined);
  const parts = [
    ...cut,
    ...(rows.length === 0 ? [] : [`${TITLE} (Plant Store ${version}):`, table]),
    ...list('Found', 'found'),
    ...list('Missed (triggered, but the tester did not notice)', 'missed'),
    ...list('Not triggered (no request of the tester triggered it)', 'not triggered'),
    `${wrap(alarms.join(', '), width).join('\n')}.`,
    ...(unread.length === 0 ? [] : [`Runs without a readable report, which counts as no finding${listNames(unread)}.`]),
    `What the tester printed is in ${grading.output}, one file per run.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function listNames(runs: readonly Run[]): string {
  return runs.length === 0 ? '' : `: ${runs.map(({ name }) => name).join(', ')}`;
}
