/** One run of the tester on a new service: from the start of the service to what the tester reports. */
import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartupError } from '../../src/errors.ts';
import { explainWriteErrors } from '../../src/util/new-file.ts';
import type { Counts } from '../defects/counts.ts';
import { type Ended, runCommand, type Values } from './command.ts';
import { FAILED, type Finding } from './finding.ts';
import { REPORT_ENDINGS, readFindings, type Verdict } from './findings.ts';
import type { Planned } from './plan.ts';
import { startServiceUnderTest } from './service.ts';
import { openRunFolder, type Stage, type Subject, type Truth } from './subject.ts';

export interface Grading {
  readonly command: readonly string[];
  /** The service. `defects` has those of its defects that are graded. */
  readonly service: Pick<Subject, 'name' | 'version' | 'openapi' | 'needsCredential'>;
  readonly defects: readonly Truth[];
  /** The seed of the variants of the defects. Undefined for the published defects. */
  readonly variants: number | undefined;
  /** The file of the plants with which each run begins. Undefined: no plants. */
  readonly plants: string | undefined;
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
  /** The most bytes of a report that is read. */
  readonly maxReport: number;
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

/** Rejects with CannotStart, or with a StartupError if the service or a file fails. */
export async function runOnce(planned: Planned, grading: Grading, stage: Stage, aborted: AbortSignal): Promise<Run> {
  const { command, timeout, maxRequests = Number.POSITIVE_INFINITY, maxOutput, verdict, output: below } = grading;
  const { name, defect, seed } = planned;
  const startedAt = new Date();
  const folder = resolve(below, name);
  const output = join(below, `${name}.txt`);
  const report = `${folder}${REPORT_ENDINGS[verdict]}`;
  using temporary = openRunFolder(stage.folder, name);
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
  const judged = judge(grading, how.exitCode === 0 && stoppedBy === undefined, report, stage);
  return { ...planned, ...how, stoppedBy, ...judged, startedAt, milliseconds, counts, output };
}

/** Removes the files of an earlier grading, and no other files. */
export function removeRuns(output: string): Promise<void> {
  return explainWriteErrors(output, () => {
    const endings = ['', '.txt', ...Object.values(REPORT_ENDINGS)];
    for (const name of readdirSync(output)) {
      const [, ending] = /^run-\d{2,}(.*)$/.exec(name) ?? [];
      if (ending !== undefined && endings.includes(ending))
        rmSync(join(output, name), { recursive: true, force: true });
    }
  });
}

function removeIfEmpty(folder: string): void {
  try {
    if (readdirSync(folder).length === 0) rmdirSync(folder);
  } catch {
    // The tester removed it, or made it unreadable.
  }
}

function judge(
  { verdict, maxReport }: Grading,
  isGood: boolean,
  report: string,
  { vocabulary }: Stage,
): Pick<Run, 'findings' | 'unread'> {
  if (verdict === 'exit-code') return { findings: isGood ? [] : [FAILED], unread: undefined };
  const unread = (why: string) => ({ findings: [], unread: why });
  try {
    return { findings: readFindings(verdict, report, maxReport, vocabulary), unread: undefined };
  } catch (error) {
    const [line = ''] = Error.isError(error) ? error.message.split('\n') : [];
    return unread(line);
  }
}
