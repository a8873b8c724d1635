/** Compares the results of two gradings: of two testers, or of two versions of one. */

import { columns, jsonText, wrap } from '../../src/cli/output.ts';
import { StartupError } from '../../src/errors.ts';
import { fisherTwoSided } from '../grade/statistics.ts';
import type { Demands } from './grade-demands.ts';
import { type GradeResult, titleOf } from './grade-result.ts';
import { mannWhitney } from './mann-whitney.ts';

/** A difference with a smaller p-value is significant. */
const SIGNIFICANT = 0.05;

/** The comparison of two results as JSON, or as text of a width. */
export function describeComparison(one: GradeResult, other: GradeResult, json: boolean, width: number): string {
  const compared = compareResults(one, other);
  return json ? `${jsonText(compared, 2)}\n` : textOf(compared, one, other, width);
}

interface Compared {
  /** The number of noticed defects in each round. */
  readonly noticed: readonly [readonly number[], readonly number[]];
  /** The Mann-Whitney test of these numbers, and the effect size A12 of Vargha and Delaney. */
  readonly u: number;
  readonly a12: number;
  readonly p: number;
  /** The defects that a different share of runs noticed, with Fisher's exact test of each. */
  readonly defects: readonly {
    readonly name: string;
    readonly runs: readonly [runs: number, runs: number];
    readonly of: readonly [runs: number, runs: number];
    readonly p: number;
  }[];
  /** Why the results are not fully comparable. */
  readonly notes: readonly string[];
}

export function compareResults(one: GradeResult, other: GradeResult): Compared {
  const inBoth = one.defects.flatMap((first) => {
    const second = other.defects.find(({ name }) => name === first.name);
    return second === undefined ? [] : [{ name: first.name, first: first.noticed, second: second.noticed }];
  });
  if (inBoth.length === 0) throw new StartupError('nothing can be compared: the results have no defect in common');
  const perRound = (which: 'first' | 'second', { seeds }: GradeResult['options']) =>
    Array.from({ length: seeds }, (_, i) => inBoth.filter((each) => each[which].rounds.includes(i + 1)).length);
  const noticed = [perRound('first', one.options), perRound('second', other.options)] as const;
  const defects = inBoth.map(({ name, first, second }) => {
    return {
      name,
      runs: [first.runs, second.runs],
      of: [first.of, second.of],
      p: fisherTwoSided(first, second),
    } as const;
  });
  return {
    noticed,
    ...mannWhitney(...noticed),
    defects: defects
      .filter(({ runs, of }) => runs[0] * of[1] !== runs[1] * of[0])
      .sort((first, second) => first.p - second.p),
    notes: [
      ...(one.options.seeds === other.options.seeds ? [] : ['The numbers of seeds differ. Each p allows for this.']),
      ...differences(one, other),
    ],
  };
}

/** Why two results are not fully comparable. */
export function differences(one: GradeResult, other: GradeResult): readonly string[] {
  const same = (what: string, values: readonly unknown[]) =>
    values[0] === values[1] ? [] : [`The ${what} differ, so other causes than the tester are possible.`];
  const common = one.defects.filter(({ name }) => other.defects.some((second) => second.name === name)).length;
  const left = Math.max(one.planted, other.planted) - common;
  return [
    ...same('services', [one.service.name, other.service.name]),
    ...same('versions of Plant Store', [one.environment.plantStore, other.environment.plantStore]),
    ...same('descriptions', [one.service.description, other.service.description]),
    ...same('variants of the defects', [one.options.variants, other.options.variants]),
    ...same('files of --plants', [one.options.plants, other.options.plants]),
    ...same('numbers of controls for each seed', [controlsPerSeed(one), controlsPerSeed(other)]),
    ...(left === 0 ? [] : [`Only the defects that both gradings contain are compared (${common}).`]),
  ];
}

const controlsPerSeed = ({ options: { controls, seeds } }: GradeResult) => controls / seeds;

function textOf(compared: Compared, one: GradeResult, other: GradeResult, width: number): string {
  const { noticed, u, a12, p, defects, notes } = compared;
  const rows = [one, other].map((result, i) => {
    return ['AB'[i] ?? '', titleOf(result), String(result.options.seeds), (noticed[i] ?? []).join(' ')];
  });
  const better = a12 > 0.5 ? 'A' : 'B';
  const verdict =
    p >= SIGNIFICANT
      ? `The difference is not significant: p is ${p.toPrecision(2)}, which is not below ${SIGNIFICANT}.`
      : `The difference is significant: p is ${p.toPrecision(2)}. ${better} notices more defects.`;
  // The p of the greatest possible difference.
  const least = mannWhitney(
    noticed[0].map(() => 0),
    noticed[1].map(() => 1),
  ).p;
  const few =
    least < SIGNIFICANT
      ? []
      : [`With so few seeds, p is never below ${least.toPrecision(2)}. Use at least four seeds each.`];
  const effect =
    `Mann-Whitney U is ${u}. A12 is ${a12.toFixed(2)}: the probability that a run of A notices more defects than a ` +
    'run of B, where equal numbers count half.';
  const table = defects.map(({ name, runs, of, p }) => [
    name,
    ...[0, 1].map((i) => `${runs[i]} of ${of[i]}`),
    p.toPrecision(2),
  ]);
  const parts = [
    columns([['', 'TESTER', 'SEEDS', 'NOTICED DEFECTS, SEED BY SEED'], ...rows], width),
    ...[verdict, ...few, effect, ...notes].map((line) => wrap(line, width).join('\n')),
    defects.length === 0
      ? 'Both noticed each defect in the same share of runs.'
      : `Noticed in a different share of runs:\n\n${columns([['DEFECT', 'A', 'B', 'P'], ...table])}`,
    ...(defects.length > 0 && defects.every(({ p }) => p >= SIGNIFICANT)
      ? [wrap(`Luck can explain each of these rows: no p is below ${SIGNIFICANT}.`, width).join('\n')]
      : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Why the result is not fully comparable with the baseline. */
export function notesOnBaseline(result: GradeResult, { baseline }: Pick<Demands, 'baseline'>): readonly string[] {
  if (baseline === undefined) return [];
  const fewer = result.options.seeds < baseline.options.seeds;
  return [
    ...differences(baseline, result),
    ...(fewer ? ['This grading has fewer seeds, so luck alone can lose a defect.'] : []),
  ];
}
