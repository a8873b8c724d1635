/** The score of a tester from its runs: for every defect how often the tester noticed it, and the false alarms. */
import type { Counts } from '../defects/counts.ts';
import { chanceOf, FALSE_SHARE, groupOf, newFindings } from './evidence.ts';
import { type Finding, isNamedBy } from './finding.ts';
import type { Run } from './grade-tester.ts';
import { median, type Share, significant, wilson } from './statistics.ts';
import type { Truth } from './subject.ts';

/**
 * `not triggered`: no request of the tester triggered the defect. `missed`: the tester triggered it and did not notice.
 * `not judged`: it triggered the defect, but no such run has a readable report.
 * `noticed`: at least one run noticed it, which may be luck. `found`: runs noticed it more often than luck explains.
 */
export type Outcome = 'not triggered' | 'not judged' | 'missed' | 'noticed' | 'found';

/** A run with less than this share of the requests of every control is short: its tester probably stopped early. */
const FEW = 0.5;

/** The runs of a defect that noticed it, or named it. */
export interface Rate extends Share {
  /** The rounds of these runs. */
  readonly rounds: readonly number[];
  /** The 95 % interval of the rate. */
  readonly interval: readonly [low: number, high: number];
  /** The probability that random findings are at least as good evidence. */
  readonly chance: number;
  /** Whether this probability is small enough among those of all defects. Never with one seed. */
  readonly isFound: boolean;
}

export interface DefectScore {
  readonly defect: Truth;
  readonly outcome: Outcome;
  /** How many runs triggered the defect. */
  readonly triggered: number;
  /** When the defect first showed: the median of the runs that triggered it. */
  readonly exposure: Counts['first'] | undefined;
  /** Runs that triggered the defect and have a finding of `newFindings`. */
  readonly noticed: Rate;
  /** Runs with such a finding about the operation of the defect and, if the finding has a code, of its class. */
  readonly named: Rate;
  /** The findings of `newFindings`. */
  readonly findings: readonly Finding[];
}

/** Numbers of defects. `named` counts those of `found` that were named, or of `noticed` with one seed. */
export type Cell = Readonly<Record<'planted' | 'triggered' | 'noticed' | 'found' | 'named', number>>;

export interface TierScore {
  readonly tier: string;
  readonly schema: Cell;
  readonly prose: Cell;
}

export interface Score {
  readonly tiers: readonly TierScore[];
  readonly defects: readonly DefectScore[];
  /** Controls with a finding. */
  readonly falseAlarms: readonly Run[];
  /** Runs that did not trigger their defect but have a finding that no control has. They are false alarms too. */
  readonly groundless: readonly Run[];
  /** Runs of defects with less than half of the requests of every control. */
  readonly short: readonly Run[];
  /** Each operation with each status that a control reached, such as `getPlant 404`. */
  readonly reached: readonly string[];
}

/** A run without a required report is evidence for nothing. */
const isJudged = ({ unread }: Run) => unread === undefined;

/** Scores each defect whose runs are all done. */
export function scoreOf(runs: readonly Run[], seeds: number): Score {
  const controls = runs.filter(({ defect }) => defect === undefined);
  // A service whose defect was not triggered behaves like the service of a control.
  const clean = groupOf(runs.filter((run) => run.counts.triggered === 0 && isJudged(run)));
  const weighed = [...Map.groupBy(runs, ({ defect }) => defect)].flatMap(([defect, runs]) => {
    if (defect === undefined || runs.length < seeds) return [];
    const triggering = runs.filter(({ counts }) => counts.triggered > 0);
    const judged = triggering.filter(isJudged);
    const triggered = groupOf(judged);
    const findings = newFindings(triggered, clean);
    const rateOf = (counts: (finding: Finding) => boolean) => {
      const texts = new Set(findings.filter(counts).map(({ text }) => text));
      const isOne = (run: Run) => run.findings.some(({ text }) => texts.has(text));
      const rounds = judged.filter(isOne).map(({ round }) => round);
      const share = { runs: rounds.length, of: runs.filter(isJudged).length };
      const chance = rounds.length === 0 ? 1 : chanceOf(triggered, clean, counts);
      return { ...share, rounds, interval: wilson(share), chance };
    };
    const named = rateOf((finding) => isNamedBy(finding, defect));
    const exposure = exposureOf(triggering);
    const counts = { triggered: triggering.length, judged: judged.length };
    return [{ defect, ...counts, exposure, noticed: rateOf(() => true), named, findings }];
  });
  const areFound = (which: 'noticed' | 'named') => {
    const chances = weighed.map((each) => each[which].chance);
    return seeds === 1 ? chances.map(() => false) : significant(chances, FALSE_SHARE);
  };
  const [noticed, named] = [areFound('noticed'), areFound('named')];
  const defects = weighed.map(({ judged, ...each }, i) => {
    const isFound = noticed[i] === true;
    const rates = {
      noticed: { ...each.noticed, isFound },
      named: { ...each.named, isFound: isFound && named[i] === true },
    };
    return { ...each, ...rates, outcome: outcomeOf(each.triggered, judged, rates.noticed) };
  });
  const tiers = [...Map.groupBy(defects, ({ defect }) => defect.tier)].map(([tier, all]) => {
    const cell = (ruleIn: Truth['ruleIn']) => {
      return cellOf(
        all.filter(({ defect }) => defect.ruleIn === ruleIn),
        seeds,
      );
    };
    return { tier, schema: cell('schema'), prose: cell('prose') };
  });
  const onControls = groupOf(controls).findings;
  const fewest = Math.min(...controls.map(({ counts }) => counts.requests));
  return {
    tiers,
    defects,
    falseAlarms: controls.filter(({ findings }) => findings.length > 0),
    groundless: runs.filter(({ defect, counts, findings }) => {
      return defect !== undefined && counts.triggered === 0 && findings.some(({ text }) => !onControls.has(text));
    }),
    reached: [...new Set(controls.flatMap(({ counts }) => counts.reached))].sort(),
    short: runs.filter(({ defect, counts }) => defect !== undefined && counts.requests < FEW * fewest),
  };
}

function exposureOf(runs: readonly Run[]): DefectScore['exposure'] {
  const firsts = runs.flatMap(({ counts }) => counts.first ?? []);
  const requests = median(firsts.map((one) => one.requests));
  const milliseconds = median(firsts.map((one) => one.milliseconds));
  return requests === undefined || milliseconds === undefined ? undefined : { requests, milliseconds };
}

function outcomeOf(triggered: number, judged: number, noticed: Rate): Outcome {
  if (triggered === 0) return 'not triggered';
  if (noticed.isFound) return 'found';
  if (noticed.runs > 0) return 'noticed';
  return judged > 0 ? 'missed' : 'not judged';
}

function cellOf(defects: readonly DefectScore[], seeds: number): Cell {
  const count = (holds: (score: DefectScore) => boolean) => defects.filter(holds).length;
  return {
    planted: defects.length,
    triggered: count(({ triggered }) => triggered > 0),
    noticed: count(({ noticed }) => noticed.runs > 0),
    found: count(({ noticed }) => noticed.isFound),
    named: count(({ named }) => (seeds === 1 ? named.runs > 0 : named.isFound)),
  };
}
