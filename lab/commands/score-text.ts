/** The score of a tester as text. */
import { dirname } from 'node:path';
import { columns, wrap } from '../../src/cli/output.ts';
import { countOf, printable } from '../../src/util/printable.ts';
import type { Grading, Run } from '../grade/grade-tester.ts';
import type { Cell, DefectScore, Outcome, Score } from '../grade/score.ts';
import { median } from '../grade/statistics.ts';
import { sumOf } from './sum.ts';

export function scoreText(score: Score, runs: readonly Run[], grading: Grading, isCut: boolean, width: number): string {
  const { tiers, defects, falseAlarms, groundless, short } = score;
  const { seeds } = grading;
  const controls = runs.filter(({ defect }) => defect === undefined).length;
  const cut = isCut ? [`Stopped: ${defects.length} of ${grading.defects.length} defects were graded.`] : [];
  const rows = tiers.flatMap(({ tier, schema, prose }) => [
    rowOf(tier, 'in a schema', schema, seeds),
    rowOf(tier, 'in prose only', prose, seeds),
  ]);
  const head = ['TIER', 'RULE', 'PLANTED', 'TRIGGERED', seeds === 1 ? 'NOTICED' : 'FOUND', 'NAMED'];
  const table = columns([head, ...rows.filter(([, , planted]) => planted !== '0')]);
  const list = (title: string, outcome: Outcome) => {
    const of = defects.filter((each) => each.outcome === outcome);
    const hasNamed = of.some(({ named }) => named.runs > 0);
    const lines = of.map((each) => {
      const rate = rateOf(each, seeds).filter((cell) => cell !== '' || hasNamed);
      return [`  ${each.defect.name}`, ...rate, each.defect.does];
    });
    return of.length === 0 ? [] : [`${title}:\n${columns(lines, width)}`];
  };
  const alarms = [
    `False alarms: ${falseAlarms.length} of ${countOf(controls, 'control')}${listNames(falseAlarms)}`,
    ...(groundless.length === 0
      ? []
      : [
          `and ${countOf(groundless.length, 'run')} with a new finding whose defect was not triggered` +
            `${listNames(groundless)}`,
        ]),
  ];
  const variants = grading.variants === undefined ? '' : `, variants ${grading.variants}`;
  const planted = printable(`${grading.service.name} ${grading.service.version}${variants}`);
  const has = (outcome: Outcome) => defects.some((each) => each.outcome === outcome);
  const luck = seeds > 1 && has('noticed') && !has('found');
  const unread = runs.filter((run) => run.unread !== undefined);
  const silent = runs.filter((run) => run.unread === undefined && run.findings.length === 0 && hasFailed(run));
  const notes = [
    ...(luck ? ['Luck may explain each noticed defect. More --seeds can rule luck out'] : []),
    alarms.join(', '),
    ...(short.length === 0 ? [] : [`Runs with less than half of the requests of every control${listNames(short)}`]),
    ...costOf(runs, score),
    ...(unread.length === 0
      ? []
      : [
          'Runs without a readable report, which were not judged: ' +
            `${unread.map(({ name, unread }) => `${name} (${unread})`).join(', ')}`,
        ]),
    ...(has('not judged')
      ? ['The score is incomplete. The tester must write a readable report in each run, also if it fails']
      : []),
    ...(silent.length === 0 ? [] : [`Runs that failed, but whose reports have no finding${listNames(silent)}`]),
  ];
  // A grading that was continued without --output has several.
  const folders = new Set(runs.map(({ output }) => dirname(output))).keys().toArray();
  const parts = [
    ...cut,
    ...(defects.length === 0 ? [] : [`${sumOf(defects, seeds)}.`]),
    ...(rows.length === 0 ? [] : [`Numbers of defects (${planted}):`, table]),
    ...list('Found (more often than luck explains)', 'found'),
    ...list(seeds === 1 ? 'Noticed' : 'Noticed (perhaps by luck)', 'noticed'),
    ...list('Missed (triggered, but the tester did not notice)', 'missed'),
    ...list('Not judged (triggered, but no such run has a readable report)', 'not judged'),
    ...list('Not triggered (no request of the tester triggered it)', 'not triggered'),
    ...notes.map((note) => wrap(`${note}.`, width).join('\n')),
    `What the tester printed is in ${printable(folders.join(' and '))}, one file per run.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The cost of the controls, and what they reached, as medians. */
function costOf(runs: readonly Run[], { reached }: Score): readonly string[] {
  const controls = runs.filter(({ defect }) => defect === undefined);
  const requests = countOf(median(controls.map(({ counts }) => counts.requests)) ?? 0, 'request');
  const milliseconds = median(controls.map(({ testerMilliseconds }) => testerMilliseconds)) ?? 0;
  const seconds = (milliseconds / 1_000).toFixed(1);
  // The service of a manifest need not say what was reached.
  const places = reached.length > 0 ? `. Reached: ${reached.join(', ')}` : '';
  return [`On the clean service (median): ${requests} in ${seconds} s${places}`];
}

function rowOf(tier: string, rule: string, cell: Cell, seeds: number): readonly string[] {
  const { planted, triggered, noticed, found, named } = cell;
  return [tier, rule, ...[planted, triggered, seeds === 1 ? noticed : found, named].map(String)];
}

/** How many runs noticed and named the defect. */
function rateOf({ outcome, noticed, named }: DefectScore, seeds: number): readonly string[] {
  if (outcome !== 'found' && outcome !== 'noticed') return [];
  const isNamed = named.runs === 0 ? [] : [seeds === 1 ? 'named' : `named ${named.runs}`];
  if (seeds === 1) return [isNamed.join('')];
  const [low, high] = noticed.interval.map((share) => Math.round(share * 100));
  return [`${noticed.runs} of ${noticed.of} runs (${low} to ${high} %)`, isNamed.join('')];
}

const hasFailed = ({ exitCode, stoppedBy }: Run) => exitCode !== 0 || stoppedBy !== undefined;

function listNames(runs: readonly Run[]): string {
  return runs.length === 0 ? '' : `: ${runs.map(({ name }) => name).join(', ')}`;
}
