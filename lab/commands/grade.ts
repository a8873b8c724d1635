/** `plantstore grade`: runs an API tester on each planted defect, and prints which of them it finds. */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { command, type Stdio, UsageError } from '../../src/cli/command-line.ts';
import { isStandardOutput } from '../../src/cli/output-file.ts';
import { isPipeOrDevice } from '../../src/util/new-file.ts';
import type { Subject, Truth } from '../grade/subject.ts';
import { refuseUnknown, requireCommand } from './grade-options.ts';
import { gradeCompare, gradePage } from './result-commands.ts';
import { refuseSameFiles } from './result-file.ts';
import { refuseReadable, type TesterConfig, testerOptions } from './tester-options.ts';

const testerCommand = (name: string, summary: string) =>
  command({
    name,
    operand: '-- COMMAND…',
    operands: true,
    summary,
    options: testerOptions,
    async run(config, stdio, _, words) {
      requireCommand(words, 'tester', name);
      refuseReadable(stdio.env);
      const subject = await chooseSubject(config, stdio);
      const defects = chooseDefects(subject.defects, config);
      const { runGrading } = await import('./tester-grading.ts');
      const { readResult } = await import('./grade-result.ts');
      const { output, json, html, resume } = config;
      if (resume && json === undefined) throw new UsageError('--resume needs --json');
      if (resume && json !== undefined && (isStandardOutput(json) || (await isPipeOrDevice(json))))
        throw new UsageError('--resume needs a file for --json, not -');
      // The result would replace the baseline, also if it is worse or has only a few defects.
      refuseSameFiles({ json, html, output, baseline: config.baseline });
      const before = resume && json !== undefined && existsSync(json) ? readResult(json) : undefined;
      // A tester that failed on the clean service was changed meanwhile, so its runs do not count.
      const earlier = before?.halt === null || before?.halt === 'stopped' ? before : undefined;
      const baseline = config.baseline === undefined ? undefined : readResult(config.baseline);
      if (baseline !== undefined && baseline.service.name !== subject.name)
        throw new UsageError(`--baseline: the result is of ${baseline.service.name}, not of ${subject.name}`);
      if (baseline?.defects.every(({ name }) => !defects.some((defect) => defect.name === name)))
        throw new UsageError('--baseline: the result has none of the defects that are graded now');
      const {
        findings: verdict,
        order = earlier?.options.order ?? randomInt(1_000_001),
        jobs = Math.max(1, Math.floor(availableParallelism() / 2)),
      } = config;
      const { variants, plants, seeds, controls = 3 * seeds, timeout, maxRequests, maxOutput, maxReport } = config;
      const limits = { timeout, maxRequests, maxOutput, maxReport };
      const { openapi, needsCredential } = subject;
      const service = { name: subject.name, version: subject.version, openapi, needsCredential };
      const runs = { defects, variants, plants, controls, seeds, order, jobs };
      const grading = { command: words, service, ...runs, ...limits, verdict };
      const tester = { name: config.testerName ?? basename(words[0] ?? ''), version: config.testerVersion ?? null };
      const { failUnder = {} } = config;
      refuseUnknown('--fail-under', 'tier', Object.keys(failUnder), tiersOf(subject.defects));
      const empty = Object.keys(failUnder).find((tier) => !tiersOf(defects).includes(tier));
      if (empty !== undefined) throw new UsageError(`--fail-under: no graded defect is in the tier ${empty}`);
      const wishes = { tester, demands: { baseline, failUnder }, output, json, html, resume, earlier };
      // Until here Ctrl-C ends the process, also while it reads a pipe that nobody writes.
      return runGrading(subject, grading, wishes, stdio, stdio.stopped());
    },
  });

/** The service to grade on. Its code is loaded only here, since no other command needs it. */
async function chooseSubject(
  { manifest = 'plants', variants, plants }: TesterConfig,
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
function chooseDefects(defects: readonly Truth[], { only, tier }: TesterConfig): readonly Truth[] {
  const names = defects.map(({ name }) => name);
  refuseUnknown('--only', 'defect', only, names, names.length < 20 ? undefined : 'plantstore defects');
  refuseUnknown('--tier', 'tier', tier, tiersOf(defects));
  const found = defects.filter((defect) => {
    return (only?.includes(defect.name) ?? true) && (tier?.includes(defect.tier) ?? true);
  });
  if (found.length === 0) throw new UsageError('--only and --tier: none of these defects is in these tiers');
  return found;
}

/** Bare `grade` is short for `grade tester`. It comes last, since it is the beginning of the other names. */
export const gradeCommands = [
  testerCommand('grade tester', 'Grades an API tester: runs it on the clean service and on each planted defect'),
  gradeCompare,
  gradePage,
  testerCommand('grade', 'Short for grade tester: runs an API tester on the clean service and on each planted defect'),
] as const;
