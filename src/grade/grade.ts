/** Grades a tester: runs it on a service with each defect, and several times on a clean service (a control). */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Counts } from '../defects/counts.ts';
import type { Defect } from '../defects/defect.ts';
import { StartupError } from '../errors.ts';
import { type Ended, runCommand, type Values } from './command.ts';
import { FAILED, type Finding } from './finding.ts';
import { REPORT_ENDINGS, readFindings, type Verdict } from './findings.ts';
import type { Fixture } from './fixture.ts';
import { startServiceUnderTest } from './service.ts';

export interface Grading {
  readonly command: readonly string[];
  readonly defects: readonly Defect[];
  readonly controls: number;
  readonly seeds: number;
  /** The longest time of a run, in milliseconds. */
  readonly timeout: number;
  readonly verdict: Verdict;
  /** The existing folder for outputs and reports. */
  readonly output: string;
}

/** A run to be done. Without a defect it is a control. */
interface Planned {
  /** The beginning of the names of its files. */
  readonly name: string;
  readonly defect: Defect | undefined;
  readonly seed: number;
}

export interface Run extends Planned, Ended {
  readonly startedAt: Date;
  readonly milliseconds: number;
  /** The findings of the tester. Judged by the exit code there is at most one. */
  readonly findings: readonly Finding[];
  /** Why a required report cannot be read. */
  readonly unread: string | undefined;
  readonly counts: Counts;
  /** The file with the output of the tester. */
  readonly output: string;
}

/** Follows the progress of a grading. */
export interface Watcher {
  begins(run: Planned, done: number, all: number): void;
  ended(run: Run, done: number, all: number): Promise<void>;
}

/** Why not all defects were graded. */
export type Halt = 'clean service fails' | 'no report' | 'floor' | 'stopped';

export interface Graded {
  readonly runs: readonly Run[];
  readonly halt: Halt | undefined;
}

/** Runs until the end or until `aborted`. Rejects with CannotStart, or with a StartupError if a service fails. */
export async function grade(
  grading: Grading,
  fixture: Fixture,
  watcher: Watcher,
  aborted: AbortSignal,
): Promise<Graded> {
  let plan = planOf(grading);
  const runs: Run[] = [];
  let halt: Halt | undefined;
  for (let done = 0; done < plan.length; done++) {
    const planned = plan[done];
    if (planned === undefined || aborted.aborted) return { runs, halt: 'stopped' };
    watcher.begins(planned, done, plan.length);
    const run = await runOnce(planned, grading, fixture, aborted).catch((error) => {
      // Ctrl-C at a terminal also ends the service, even while it starts.
      if (!aborted.aborted) throw error;
    });
    // A run that was cut off does not count.
    if (run === undefined || aborted.aborted) return { runs, halt: 'stopped' };
    runs.push(run);
    if (done === 0) {
      halt = haltAfterFirst(run, grading.verdict);
      // A later control may still pass the floor, so the other controls run.
      if (halt === 'floor') plan = plan.filter(({ defect }) => defect === undefined);
    }
    await watcher.ended(run, done + 1, plan.length);
    if (halt !== undefined && halt !== 'floor') break;
  }
  return { runs, halt };
}

/** Why the result of the first control makes the runs with defects pointless. */
function haltAfterFirst({ findings, unread, counts }: Run, verdict: Verdict): Halt | undefined {
  if (verdict === 'exit-code' && findings.length > 0) return 'clean service fails';
  if (unread !== undefined) return 'no report';
  return belowFloor([counts]) === undefined ? undefined : 'floor';
}

/** The first requirement for every tester that this tester never met. */
export function belowFloor(counts: readonly Counts[]): string | undefined {
  const sum = (key: keyof Counts) => counts.reduce((sum, each) => sum + each[key], 0);
  if (sum('requests') === 0) return 'never got a response below 300, because it sent no request';
  if (sum('credentials') === 0) return 'never sent a credential';
  return sum('succeeded') === 0 ? 'never got a response below 300 from an operation' : undefined;
}

/** Plans a run of each defect with each seed. Controls come before, between and after, at least one for each seed. */
function planOf({ defects, controls, seeds }: Grading): readonly Planned[] {
  const runs = defects.flatMap((defect) =>
    Array.from({ length: seeds }, (_, i) => ({ name: `${defect.name}-${i + 1}`, defect, seed: i + 1 })),
  );
  const most = Math.max(controls, seeds);
  const plan: Planned[] = [];
  for (let control = 0; control < most; control++) {
    plan.push({ name: `control-${control + 1}`, defect: undefined, seed: (control % seeds) + 1 });
    const at = (which: number) => Math.round((runs.length * which) / Math.max(most - 1, 1));
    plan.push(...runs.slice(at(control), at(control + 1)));
  }
  return plan;
}

async function runOnce(
  planned: Planned,
  { command, timeout, verdict, output: folder }: Grading,
  fixture: Fixture,
  aborted: AbortSignal,
): Promise<Run> {
  const startedAt = new Date();
  const { database } = await fixture.begin();
  const service = await startServiceUnderTest(database, planned.defect?.name ?? 'none');
  await using services = new AsyncDisposableStack();
  services.defer(async () => void (await service.stop()));
  const output = join(folder, `${planned.name}.txt`);
  const report = resolve(folder, `${planned.name}${REPORT_ENDINGS[verdict]}`);
  // The report of an earlier grading must not count if the tester writes no report.
  rmSync(report, { recursive: true, force: true });
  const { url } = service;
  const values: Values = { url, openapi: `${url}/openapi.json`, seed: String(planned.seed), report, ...fixture.tokens };
  const broken = new AbortController();
  let isOver = false;
  void service.ended.then(() => isOver || broken.abort());
  const ended = await runCommand(command, values, {
    output,
    timeout,
    aborted: AbortSignal.any([aborted, broken.signal]),
  });
  isOver = true;
  if (broken.signal.aborted) throw new StartupError(`the service ended during ${planned.name}: ${service.why()}`);
  const counts = await service.stop();
  const milliseconds = Date.now() - startedAt.getTime();
  return { ...planned, ...ended, ...judge(verdict, ended, report), startedAt, milliseconds, counts, output };
}

function judge(verdict: Verdict, { exitCode, timedOut }: Ended, report: string): Pick<Run, 'findings' | 'unread'> {
  if (verdict === 'exit-code') {
    return { findings: exitCode === 0 && !timedOut ? [] : [FAILED], unread: undefined };
  }
  try {
    return { findings: readFindings(verdict, report), unread: undefined };
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const [line = ''] = error instanceof Error ? error.message.split('\n') : [];
    return { findings: [], unread: isAbsent ? 'there is none' : line };
  }
}
