/** The options of `plantstore grade tester`. */
import { type Config, flagOf, type Options, type Stdio, UsageError, variableOf } from '../../src/cli/command-line.ts';
import { number, SWITCH, time } from '../../src/cli/options.ts';
import { integer, oneOf, size, text, words } from '../../src/cli/values.ts';
import { VARIANTS } from '../defects/options.ts';
import type { Verdict } from '../grade/findings.ts';
import { minimums } from './grade-demands.ts';

export const testerOptions = {
  manifest: {
    read: text,
    value: 'FILE',
    help:
      'Manifest of the service to grade on (the page /guide/manifest of a running Plant Store explains it), or ' +
      'sandboxes for the API of the sandboxes, or events for the feed of events. Default: Plant Store.',
  },
  only: { read: words, value: 'NAME', list: true, help: 'Grades only these defects (plantstore defects lists them).' },
  tier: {
    read: words,
    value: 'TIER',
    list: true,
    help: 'Grades only the defects of these tiers: schema, input, credentials, state, protocol.',
  },
  variants: {
    ...VARIANTS,
    help:
      'Plants other variants of the defects. plantstore defects --variants SEED lists them. ' +
      'Default: the published defects.',
  },
  controls: {
    read: integer(3, 1_000),
    value: 'NUMBER',
    help:
      'Number of runs on the clean service: 3 or more, and at least as many as --seeds. ' +
      'Default: three for each seed.',
  },
  seeds: number(1, 100, '1', 'Number of runs with each defect. Each run has its own {seed}.'),
  order: {
    read: integer(0, 1_000_000),
    value: 'NUMBER',
    help: 'Seed that chooses the order of the runs and each {seed}. The result of --json contains it. Default: random.',
  },
  jobs: {
    read: integer(1, 100),
    value: 'NUMBER',
    help: 'Number of runs at the same time. Default: half of the processor cores, at least 1.',
  },
  timeout: time('2m', 'Longest time that one run of the command may take.'),
  maxRequests: {
    read: integer(1, 1_000_000_000),
    value: 'NUMBER',
    help: 'Ends a run that sends more requests. Default: no limit.',
  },
  maxOutput: {
    read: size(0, 2 ** 40),
    value: 'SIZE',
    default: '10MiB',
    help: 'How much of the output of each run is kept.',
  },
  maxReport: {
    read: size(1, 2 ** 28),
    value: 'SIZE',
    default: '64MiB',
    help: 'The largest report that is read. A JUnit report takes up to 16 times its size in memory.',
  },
  findings: {
    read: oneOf<Verdict>(['exit-code', 'junit', 'schemathesis', 'wfc']),
    value: 'FORMAT',
    default: 'exit-code',
    help:
      'Where findings come from: exit-code, or a report that the command writes to {report}, in the format junit, ' +
      'schemathesis (its NDJSON) or wfc (Web Fuzzing Commons).',
  },
  plants: {
    read: text,
    value: 'FILE',
    help: 'Plants in the store at the start of each run (NDJSON or CSV). Default: none.',
  },
  output: {
    read: text,
    value: 'FOLDER',
    help: 'Where the output and the report of each run go. Default: plantstore-grade-TIME.',
  },
  testerName: {
    read: text,
    value: 'TEXT',
    help: 'Name of the tester in the result. Default: the first word of the command.',
  },
  testerVersion: { read: text, value: 'TEXT', help: 'Version of the tester, for the result.' },
  json: { read: text, value: 'FILE', help: 'File for the score and every run, in JSON, or - for standard output.' },
  resume: {
    ...SWITCH,
    help:
      'Writes the file of --json after each run, and continues with it if an earlier grading ended early. A ' +
      'tester that looks for the file can read it.',
  },
  html: { read: text, value: 'FILE', help: 'File for the score as a page, in HTML, or - for standard output.' },
  baseline: {
    read: text,
    value: 'FILE',
    help:
      'An earlier result (--json). Exits with 3 if no run notices a defect that the earlier grading found (with one ' +
      'seed: noticed).',
  },
  failUnder: {
    read: minimums,
    value: 'TIER=NUMBER',
    list: true,
    help: 'Exits with 3 if fewer defects of the tier are found (with one seed: noticed).',
  },
} satisfies Options;

export type TesterConfig = Config<typeof testerOptions>;

/** Options that tell which defects are planted, or in which order. */
const REVEALING = ['only', 'tier', 'variants', 'order'] satisfies (keyof typeof testerOptions)[];

/**
 * A process of the same user can read the environment with which another was started, also after a change of it. The
 * arguments, in contrast, are overwritten before the first run.
 */
export function refuseReadable(env: Stdio['env']): void {
  const name = REVEALING.find((name) => (env[variableOf(name)] ?? '') !== '');
  if (name === undefined) return;
  const [variable, flag] = [variableOf(name), `--${flagOf(name)}`];
  throw new UsageError(`${variable}: a tester could read it in the grader's environment; unset it, and use ${flag}`);
}
