/** Grades a tester: runs it against a clean service now and then, and against a service with each defect. */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Counts } from '../defects/counts.ts';
import type { Defect } from '../defects/defect.ts';
import { StartupError } from '../errors.ts';
import { type Ended, runCommand, type Values } from './command.ts';
import { FAILED, REPORT_ENDINGS, readFindings, type Verdict } from './findings.ts';
import type { Fixture } from './fixture.ts';
import { startServiceUnderTest } from './service.ts';

export interface Grading {
  readonly command: readonly string[];
  readonly defects: readonly Defect[];
  readonly controls: number;
  readonly seeds: number;
  /** Milliseconds that a run may take. */
  readonly timeout: number;
  readonly verdict: Verdict;
  /** The folder of outputs and reports, which exists. */
  readonly output: string;
}

/** A run of the tester; without a defect it is a control. */
interface Planned {
  /** That of its files. */
  readonly name: string;
  readonly defect: Defect | undefined;
  readonly seed: number;
}

export interface Run extends Planned, Ended {
  readonly startedAt: Date;
  readonly milliseconds: number;
  /** What the tester reported; by the exit code one finding, that it failed. */
  readonly findings: readonly string[];
  /** Why there is no report that can be read, where one was asked for. */
  readonly unread: string | undefined;
  readonly counts: Counts;
  /** The file of what it printed. */
  readonly output: string;
}

/** What is told of a grading while it goes on. */
export interface Watcher {
  begins(run: Planned, done: number, all: number): void;
  ended(run: Run, done: number, all: number): Promise<void>;
}

/** Why the defects are not graded, or not all of them. */
export type Halt = 'clean service fails' | 'no report' | 'floor' | 'stopped';

export interface Graded {
  readonly runs: readonly Run[];
  readonly halt: Halt | undefined;
}

/** Until all is run, or `aborted`. Rejects with CannotStart, or with a StartupError where a service fails. */
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
      // At a terminal Ctrl-C ends the service too, also while it starts.
      if (!aborted.aborted) throw error;
    });
    // What was cut off says nothing of the tester.
    if (run === undefined || aborted.aborted) return { runs, halt: 'stopped' };
    runs.push(run);
    if (done === 0) {
      halt = haltAfterFirst(run, grading.verdict);
      // Whether it never does what every tester has to, all controls have to say.
      if (halt === 'floor') plan = plan.filter(({ defect }) => defect === undefined);
    }
    await watcher.ended(run, done + 1, plan.length);
    if (halt !== undefined && halt !== 'floor') break;
  }
  return { runs, halt };
}

/** What the first control shows that makes all others pointless. */
function haltAfterFirst({ findings, unread, counts }: Run, verdict: Verdict): Halt | undefined {
  if (verdict === 'exit-code' && findings.length > 0) return 'clean service fails';
  if (unread !== undefined) return 'no report';
  return belowFloor([counts]) === undefined ? undefined : 'floor';
}

/** What a tester never did of what every one has to. */
export function belowFloor(counts: readonly Counts[]): string | undefined {
  const sum = (key: keyof Counts) => counts.reduce((sum, each) => sum + each[key], 0);
  if (sum('requests') === 0) return 'never got a response below 300, as it sent no request';
  if (sum('credentials') === 0) return 'never sent a credential';
  return sum('succeeded') === 0 ? 'never got a response below 300 from an operation' : undefined;
}

/** Each defect with each seed; the controls before, between and after, with the same seeds and at least one of each. */
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
  // One of an earlier grading would pass for that of a tester that writes none.
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
  return { ...planned, ...ended, ...judged(verdict, ended, report), startedAt, milliseconds, counts, output };
}

function judged(verdict: Verdict, { exitCode, timedOut }: Ended, report: string): Pick<Run, 'findings' | 'unread'> {
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
