/** `plantstore grade`: runs an API tester on each planted defect, and prints which of them it finds. */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import {
  type Config,
  command,
  flagOf,
  type Options,
  type Stdio,
  UsageError,
  variableOf,
} from '../../src/cli/command-line.ts';
import { JSON_SWITCH, number, SWITCH, time } from '../../src/cli/options.ts';
import { print, widthOf } from '../../src/cli/output.ts';
import { isStandardOutput } from '../../src/cli/output-file.ts';
import { integer, oneOf, size, text, words } from '../../src/cli/values.ts';
import { isStream } from '../../src/util/new-file.ts';
import { VARIANTS } from '../defects/options.ts';
import type { Verdict } from '../grade/findings.ts';
import type { Subject, Truth } from '../grade/subject.ts';
import { minimums } from './grade-demands.ts';
import { outputFolder, refuseUnknown, requireCommand } from './grade-options.ts';
import { isSameOutput } from './result-file.ts';

const options = {
  manifest: {
    read: text,
    value: 'FILE',
    help:
      'Manifest of the service to grade on (docs/manifest.md explains it), or sandboxes for the API of the ' +
      'sandboxes, or events for the feed of events. Default: Plant Store.',
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
    help: 'Plants other variants of the defects. plantstore defects --variants SEED shows them. Default: as published.',
  },
  controls: {
    read: integer(3, 1_000),
    value: 'NUMBER',
    help: 'Number of runs on the clean service, at least as many as --seeds. Default: three for each seed.',
  },
  seeds: number(1, 100, '1', 'Number of runs with each defect. Every run has another {seed}.'),
  order: {
    read: integer(0, 1_000_000),
    value: 'NUMBER',
    help:
      'Seed of the order of the runs. Default: random. ' +
      '--json has it, so that the order and all {seed}s can be repeated.',
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
    help: 'Ends a run that sends more requests, as --timeout does. Default: no limit.',
  },
  maxOutput: {
    read: size(0, 2 ** 40),
    value: 'SIZE',
    default: '10MiB',
    help: 'How much of the output of each run is kept.',
  },
  findings: {
    read: oneOf<Verdict>(['exit-code', 'junit', 'schemathesis', 'wfc']),
    value: 'FORMAT',
    default: 'exit-code',
    help:
      'Where findings come from: exit-code, or the format of the report {report}: junit, schemathesis (its NDJSON) ' +
      'or wfc (Web Fuzzing Commons).',
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
    help: 'An earlier result (--json). Exits with 3 if no run notices a defect that the earlier grading found.',
  },
  failUnder: {
    read: minimums,
    value: 'TIER=NUMBER',
    list: true,
    help: 'Exits with 3 if fewer defects of the tier are found, or noticed with one seed.',
  },
} satisfies Options;

/** Options that tell which defects are planted, or in which order. */
const REVEALING = ['only', 'tier', 'variants', 'order'] satisfies (keyof typeof options)[];

/**
 * A process of the same user can read the environment with which another was started, also after a change of it. The
 * arguments, in contrast, are overwritten before the first run.
 */
function refuseReadable(env: Stdio['env']): void {
  const name = REVEALING.find((name) => (env[variableOf(name)] ?? '') !== '');
  if (name === undefined) return;
  const [variable, flag] = [variableOf(name), `--${flagOf(name)}`];
  throw new UsageError(`${variable}: a tester could read it in the grader's environment; unset it, and use ${flag}`);
}

const testerCommand = (name: string, summary: string) =>
  command({
    name,
    operand: '-- COMMAND…',
    operands: true,
    summary,
    options,
    async run(config, stdio, _, words) {
      requireCommand(words, 'tester', name);
      refuseReadable(stdio.env);
      const stopped = stdio.stopped();
      const subject = await chooseSubject(config, stdio);
      const defects = chooseDefects(subject.defects, config);
      const { runGrading } = await import('./tester-grading.ts');
      const { readResult } = await import('./grade-result.ts');
      const { json, html, resume } = config;
      if (resume && json === undefined) throw new UsageError('--resume needs --json');
      if (resume && json !== undefined && (isStandardOutput(json) || (await isStream(json))))
        throw new UsageError('--resume needs a file for --json');
      if (json !== undefined && html !== undefined && isSameOutput(json, html))
        throw new UsageError('--json and --html name the same file');
      const earlier = resume && json !== undefined && existsSync(json) ? readResult(json) : undefined;
      const baseline = config.baseline === undefined ? undefined : readResult(config.baseline);
      if (baseline !== undefined && baseline.service.name !== subject.name)
        throw new UsageError(`--baseline: the result is of ${baseline.service.name}, not of ${subject.name}`);
      const {
        findings: verdict,
        output = outputFolder('grade'),
        order = earlier?.options.order ?? randomInt(1_000_001),
        jobs = Math.max(1, Math.floor(availableParallelism() / 2)),
      } = config;
      const { variants, seeds, controls = 3 * seeds, timeout, maxRequests, maxOutput } = config;
      const limits = { timeout, maxRequests, maxOutput };
      const { openapi, needsCredential } = subject;
      const service = { name: subject.name, version: subject.version, openapi, needsCredential };
      const runs = { defects, variants, controls, seeds, order, jobs };
      const grading = { command: words, service, ...runs, ...limits, verdict, output };
      const tester = { name: config.testerName ?? basename(words[0] ?? ''), version: config.testerVersion ?? null };
      const { failUnder = {} } = config;
      refuseUnknown('--fail-under', 'tier', Object.keys(failUnder), tiersOf(subject.defects));
      const empty = Object.keys(failUnder).find((tier) => !tiersOf(defects).includes(tier));
      if (empty !== undefined) throw new UsageError(`--fail-under: no graded defect is in the tier ${empty}`);
      const wishes = { tester, demands: { baseline, failUnder }, json, html, resume, earlier };
      return runGrading(subject, grading, wishes, stdio, stopped);
    },
  });

const gradeCompare = command({
  name: 'grade compare',
  operand: 'A.json B.json',
  operands: true,
  summary: 'Compares two results of grade --json, and tells whether the difference may be luck',
  options: { json: JSON_SWITCH },
  async run({ json }, { stdout }, _, [a, b, ...more]) {
    if (a === undefined || b === undefined || more.length > 0) {
      throw new UsageError('the command takes two files; see plantstore grade compare --help');
    }
    const { describeComparison } = await import('./grade-compare.ts');
    await print(stdout, describeComparison(a, b, json, widthOf(stdout)));
    return 0;
  },
});

const gradePage = command({
  name: 'grade page',
  operand: 'FILE.json…',
  operands: true,
  summary: 'Prints an HTML page without scripts or other files that shows results of grade --json side by side',
  options: {},
  async run(_, { stdout }, __, paths) {
    if (paths.length === 0)
      throw new UsageError('the command takes at least one file; see plantstore grade page --help');
    const { pageOf } = await import('./grade-page.ts');
    const { readResult } = await import('./grade-result.ts');
    await print(stdout, pageOf(paths.map(readResult)));
    return 0;
  },
});

/** Bare `grade` is short for `grade tester`. It comes last, since it is the beginning of the other names. */
export const gradeCommands = [
  testerCommand('grade tester', 'Grades an API tester: runs it on the clean service and on each planted defect'),
  gradeCompare,
  gradePage,
  testerCommand('grade', 'Short for grade tester: runs an API tester on the clean service and on each planted defect'),
] as const;
/** The service to grade on. Its code is loaded only here, since no other command needs it. */
async function chooseSubject(
  { manifest = 'plants', variants, plants }: Config<typeof options>,
  { stdin }: Stdio,
): Promise<Subject> {
  const { API_NAMES, APIS } = await import('../defects/index.ts');
  const api = API_NAMES.find((name) => name === manifest);
  if ((api === undefined || !APIS[api].canVary) && (variants !== undefined || plants !== undefined)) {
    throw new UsageError('--variants and --plants cannot be given with --manifest, except with --manifest events');
  }
  if (api === undefined) return (await import('../grade/manifest.ts')).readManifest(manifest, API_NAMES);
  return (await import('../grade/graded-plant-store.ts')).plantStore(api, { variants, plants }, stdin);
}

const tiersOf = (defects: readonly Truth[]): readonly string[] => [...new Set(defects.map(({ tier }) => tier))];

/** The defects to grade, in the order of the table. */
function chooseDefects(defects: readonly Truth[], { only, tier }: Config<typeof options>): readonly Truth[] {
  const names = defects.map(({ name }) => name);
  refuseUnknown('--only', 'defect', only, names, names.length < 20 ? undefined : 'plantstore defects');
  refuseUnknown('--tier', 'tier', tier, tiersOf(defects));
  const found = defects.filter((defect) => {
    return (only?.includes(defect.name) ?? true) && (tier?.includes(defect.tier) ?? true);
  });
  if (found.length === 0)
    throw new UsageError('--only and --tier leave no defect to grade: none of these defects is in these tiers');
  return found;
}
