/** Grades a tester: runs it on a service with each defect, and several times on a clean service (a control). */
import { mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Counts } from '../defects/counts.ts';
import { StartupError } from '../errors.ts';
import { explainWriteErrors } from '../new-file.ts';
import { type Ended, runCommand, type Values } from './command.ts';
import { FAILED, type Finding } from './finding.ts';
import { REPORT_ENDINGS, readFindings, type Verdict } from './findings.ts';
import { type Planned, planOf } from './plan.ts';
import { startServiceUnderTest } from './service.ts';
import { openRunFolder, type Stage, type Subject, type Truth } from './subject.ts';

export interface Grading {
  readonly command: readonly string[];
  /** The service. Its defects are in `defects`, as far as they are graded. */
  readonly service: Pick<Subject, 'name' | 'version' | 'openapi' | 'needsCredential'>;
  readonly defects: readonly Truth[];
  /** The seed of the variants of the defects. Undefined for the published defects. */
  readonly variants: number | undefined;
  readonly controls: number;
  /** Number of runs with each defect. */
  readonly seeds: number;
  /** The seed of the random order of the runs. */
  readonly order: number;
  /** Number of runs at the same time. */
  readonly jobs: number;
  /** The longest time of a run, in milliseconds. */
  readonly timeout: number;
  /** The most requests of a run. */
  readonly maxRequests: number | undefined;
  /** The most bytes of output that are kept of a run. */
  readonly maxOutput: number;
  readonly verdict: Verdict;
  /** The existing folder for outputs, reports and the working folders of the runs. */
  readonly output: string;
}

/** A limit that ends the command, by the name of its option. */
export type Limit = 'timeout' | 'max-requests';

export interface Run extends Planned, Omit<Ended, 'wasStopped'> {
  /** The limit that ended the command. */
  readonly stoppedBy: Limit | undefined;
  readonly startedAt: Date;
  /** The time of the whole run, with the start and the end of the service. */
  readonly milliseconds: number;
  /** The findings of the tester. Judged by the exit code there is at most one. */
  readonly findings: readonly Finding[];
  /** Why a required report cannot be read. */
  readonly unread: string | undefined;
  readonly counts: Counts;
  /** The file with the output of the tester. */
  readonly output: string;
}

/** Follows the progress of a grading. `done` runs of `all` have ended. */
export interface Watcher {
  begins(run: Planned, done: number, all: number): void;
  ended(run: Run, done: number, all: number): void;
}

/** Bytes. */
const LONGEST_REPORT = 256 * 2 ** 20;

/** Why not all defects were graded. */
export type Halt = 'clean service fails' | 'no report' | 'floor' | 'stopped';

export interface Graded {
  /** First the controls, then the runs with each defect, in the order of the defects. */
  readonly runs: readonly Run[];
  readonly halt: Halt | undefined;
}

/**
 * Runs until the end or until `aborted`. Each run is in `runs` when it has ended, also if grading fails: rejects with
 * CannotStart, or with a StartupError if a service or a file fails.
 */
export async function grade(grading: Grading, stage: Stage, watcher: Watcher, aborted: AbortSignal): Promise<Graded> {
  const runs: Run[] = [];
  const failed = new AbortController();
  const stop = AbortSignal.any([aborted, failed.signal]);
  const [first, ...others] = planOf(grading);
  let all = others.length + 1;
  const perform = async (planned: Planned) => {
    watcher.begins(planned, runs.length, all);
    const run = await runOnce(planned, grading, stage, stop).catch((error) => {
      // The other runs end. Only the first error is reported.
      if (!stop.aborted) failed.abort(error);
    });
    // A run that was cut off does not count.
    if (run === undefined || stop.aborted) return;
    runs.push(run);
    watcher.ended(run, runs.length, all);
  };
  if (first !== undefined && !stop.aborted) await perform(first);
  const halt = runs[0] && haltAfterFirst(runs[0], grading);
  // A later control may still pass the floor, so the other controls run.
  const rest = halt === undefined ? others : halt === 'floor' ? others.filter(({ defect }) => !defect) : [];
  all = rest.length + 1;
  const waiting = rest.values();
  const work = async () => {
    for (const planned of waiting) {
      if (stop.aborted) return;
      await perform(planned);
    }
  };
  await Promise.all(Array.from({ length: grading.jobs }, work));
  failed.signal.throwIfAborted();
  return { runs: inOrder(runs, grading.defects), halt: aborted.aborted ? 'stopped' : halt };
}

/** First the controls, then the runs with each defect, in the order of the defects. */
function inOrder(runs: readonly Run[], defects: readonly Truth[]): readonly Run[] {
  const placeOf = ({ defect }: Run) => (defect === undefined ? -1 : defects.indexOf(defect));
  return runs.toSorted((a, b) => placeOf(a) - placeOf(b) || a.round - b.round);
}

/** Why the result of the first control makes the runs with defects pointless. */
function haltAfterFirst({ findings, unread, counts }: Run, { verdict, service }: Grading): Halt | undefined {
  if (verdict === 'exit-code' && findings.length > 0) return 'clean service fails';
  if (unread !== undefined) return 'no report';
  return belowFloor([counts], service) === undefined ? undefined : 'floor';
}

/** The first requirement for every tester that this tester never met. */
export function belowFloor(counts: readonly Counts[], service: Grading['service']): string | undefined {
  const sum = (key: 'requests' | 'credentials' | 'succeeded') => counts.reduce((sum, each) => sum + each[key], 0);
  if (sum('requests') === 0) return 'never got a response below 300, because it sent no request';
  if (service.needsCredential && sum('credentials') === 0) return 'never sent a credential';
  return sum('succeeded') === 0 ? 'never got a response below 300 from an operation' : undefined;
}

async function runOnce(planned: Planned, grading: Grading, stage: Stage, aborted: AbortSignal): Promise<Run> {
  const { command, timeout, maxRequests = Number.POSITIVE_INFINITY, maxOutput, verdict, output: below } = grading;
  const { name, defect, seed } = planned;
  const startedAt = new Date();
  const folder = resolve(below, name);
  const output = join(below, `${name}.txt`);
  const report = `${folder}${REPORT_ENDINGS[verdict]}`;
  using temporary = openRunFolder(stage.path, name);
  const launch = await stage.prepare(temporary.path);
  const requests = new AbortController();
  const service = await startServiceUnderTest({
    command: launch.command,
    folder: temporary.path,
    order: { defect: defect?.name ?? null, variants: grading.variants ?? null },
    watch: (counts) => counts.requests > maxRequests && requests.abort(),
    stop: aborted,
  });
  await using services = new AsyncDisposableStack();
  services.defer(async () => void (await service.stop()));
  const { url } = service;
  const { openapi } = grading.service;
  const given = { url, openapi: url + openapi, seed: String(seed), report, cwd: process.cwd() };
  const values: Values = { ...given, ...launch.values };
  const broken = new AbortController();
  let isOver = false;
  void service.ended.then(() => isOver || broken.abort());
  const time = AbortSignal.timeout(timeout);
  const stop = AbortSignal.any([aborted, broken.signal, requests.signal, time]);
  const ended = await explainWriteErrors(output, () => {
    // Files of an earlier grading must not count.
    for (const path of [folder, output, report]) rmSync(path, { recursive: true, force: true });
    mkdirSync(folder);
    return runCommand(command, values, { folder, output, maxOutput, stop });
  });
  isOver = true;
  if (broken.signal.aborted) throw new StartupError(`the service ended during ${name}: ${service.why()}`);
  const counts = await service.stop();
  removeIfEmpty(folder);
  const { wasStopped, ...how } = ended;
  const stoppedBy = !wasStopped ? undefined : time.aborted ? 'timeout' : 'max-requests';
  const milliseconds = Date.now() - startedAt.getTime();
  const judged = judge(verdict, how.exitCode === 0 && stoppedBy === undefined, report, stage);
  return { ...planned, ...how, stoppedBy, ...judged, startedAt, milliseconds, counts, output };
}

function removeIfEmpty(folder: string): void {
  try {
    if (readdirSync(folder).length === 0) rmdirSync(folder);
  } catch {
    // The tester removed it, or made it unreadable.
  }
}

function judge(
  verdict: Verdict,
  isGood: boolean,
  report: string,
  { vocabulary }: Stage,
): Pick<Run, 'findings' | 'unread'> {
  if (verdict === 'exit-code') return { findings: isGood ? [] : [FAILED], unread: undefined };
  const unread = (why: string) => ({ findings: [], unread: why });
  try {
    const stats = statSync(report);
    // Reading a FIFO would never end.
    if (!stats.isFile()) return unread('it is not a file');
    if (stats.size > LONGEST_REPORT) return unread('it has more than 256 MiB');
    return { findings: readFindings(verdict, report, vocabulary), unread: undefined };
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const [line = ''] = error instanceof Error ? error.message.split('\n') : [];
    return unread(isAbsent ? 'there is none' : line);
  }
}
