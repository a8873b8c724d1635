/** What a tester must notice, so that a CI job can fail: as much as before, and a number of defects of a tier. */
import type { OptionReader } from '../../src/cli/command-line.ts';
import { countOf } from '../../src/util/printable.ts';
import type { GradeResult } from './grade-result.ts';

export interface Demands {
  /** The result of an earlier grading. */
  readonly baseline: GradeResult | undefined;
  /** The least number of defects of a tier that are found, or noticed with one seed. */
  readonly failUnder: Readonly<Record<string, number>>;
}

/** Reads demands such as `schema=10 state=5`. */
export const minimums: OptionReader<Demands['failUnder']> = (text) => {
  const pairs = text.split(/[\s,]+/).map((word) => {
    const [, tier, number] = /^([a-z-]{1,30})=(\d{1,4})$/.exec(word) ?? [];
    if (tier === undefined) throw new Error('it must be TIER=NUMBER, such as schema=10');
    return [tier, Number(number)] as const;
  });
  return Object.fromEntries(pairs);
};

/** One sentence for each demand that is not met. */
export function shortfalls(result: GradeResult, { baseline, failUnder }: Demands): readonly string[] {
  const best = result.options.seeds === 1 ? 'noticed' : 'found';
  const few = Object.entries(failUnder).flatMap(([tier, least]) => {
    const cells = result.tiers.filter((one) => one.tier === tier).flatMap(({ schema, prose }) => [schema, prose]);
    const number = cells.reduce((sum, cell) => sum + cell[best], 0);
    const few = `${countOf(number, 'defect')} of the tier ${tier} ${number === 1 ? 'was' : 'were'} ${best}`;
    return number >= least ? [] : [`Too few: ${few}, not ${least}.`];
  });
  const before = baseline?.defects.filter(({ noticed, outcome }) => {
    return outcome === 'found' || (baseline.options.seeds === 1 && noticed.runs > 0);
  });
  const lost = (before ?? []).filter(({ name }) => {
    const now = result.defects.find((one) => one.name === name);
    return now !== undefined && now.outcome !== 'not judged' && now.noticed.runs === 0;
  });
  const names = lost.map(({ name }) => name).join(', ');
  return lost.length === 0 ? few : [...few, `Worse than the baseline, no run noticed: ${names}.`];
}
