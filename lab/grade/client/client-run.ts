/** Runs a client through the scenarios, each in its own process and sandbox, and judges what the client believes. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Ended, runCommand } from '../command.ts';
import type { Scenario } from './scenario.ts';
import { openSandbox } from './scenario-sandbox.ts';
import { serviceView } from './service-view.ts';
import { readReport, writeTasks } from './task-files.ts';
import { type Conduct, conductOf, judge, type Outcome, reasonAgainst } from './verdict.ts';

export interface ClientGrading {
  readonly command: readonly string[];
  readonly scenarios: readonly Scenario[];
  /** How many scenarios run side by side. */
  readonly jobs: number;
  /** The longest time of an attempt, which the client is told, in milliseconds. */
  readonly attemptTimeout: number;
  /** The longest time of a scenario, in milliseconds. */
  readonly timeout: number;
  /** The folder for the files of every scenario. */
  readonly output: string;
}

export interface ClientRun {
  readonly scenario: Scenario;
  /** `void`: the scenario has not happened to the client, in three tries, so there is nothing to judge. */
  readonly outcome: Outcome | 'void';
  /** Why the outcome is void. */
  readonly reason: string | undefined;
  readonly conduct: Conduct;
  /** How the command ended early, or what is wrong with its report. Undefined: nothing. */
  readonly problem: string | undefined;
  readonly milliseconds: number;
}

/** How often a scenario is tried whose outcome is void. */
const TRIES = 3;
/** A timer that is late by this share of the time-out of an attempt makes a run void. */
const LATE = 0.5;
const NS = 1e6;
/** The most bytes of a command's output that are kept. */
const MAX_OUTPUT = 1_048_576;

/**
 * Runs all scenarios, several at a time, until `aborted`. `ended` is called after each. Only the first is run if its
 * command fails without a request, since the command would do so in all of them.
 */
export async function gradeClient(
  grading: ClientGrading,
  url: string,
  aborted: AbortSignal,
  ended: (run: ClientRun) => void,
): Promise<readonly ClientRun[]> {
  const runs: ClientRun[] = [];
  const left = grading.scenarios.values();
  const perform = async (scenario: Scenario) => {
    if (aborted.aborted) return;
    const run = await tryScenario(scenario, grading, url, aborted);
    if (aborted.aborted) return;
    runs.push(run);
    ended(run);
  };
  const work = async () => {
    for (const scenario of left) await perform(scenario);
  };
  const { value: first } = left.next();
  if (first !== undefined) await perform(first);
  if (runs.some(hasFailedAtOnce)) return runs;
  await Promise.all(Array.from({ length: grading.jobs }, work));
  const order = grading.scenarios;
  return runs.sort((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario));
}

const hasFailedAtOnce = ({ conduct, problem }: ClientRun) => conduct.attempts === 0 && problem !== undefined;

/** The file with what the command printed in a scenario. */
export const printedIn = (output: string, { name }: Scenario): string => join(output, name, 'output.txt');

async function tryScenario(
  scenario: Scenario,
  grading: ClientGrading,
  url: string,
  aborted: AbortSignal,
): Promise<ClientRun> {
  for (let tries = 1; ; tries++) {
    using delay = watchDelay();
    const run = await runScenario(scenario, grading, url, aborted);
    const reason = delay.longest() < LATE * grading.attemptTimeout ? run.reason : 'the machine was too busy';
    if (reason === undefined) return run;
    // A command that ends with an error has a problem of its own.
    if (tries === TRIES || run.problem !== undefined) return { ...run, outcome: 'void', reason };
  }
}

/** How late the timers of this process are: a control that runs beside the client. */
function watchDelay(): Disposable & { longest(): number } {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return { longest: () => delay.max / NS, [Symbol.dispose]: () => void delay.disable() };
}

async function runScenario(
  scenario: Scenario,
  { command, attemptTimeout, timeout, output }: ClientGrading,
  url: string,
  aborted: AbortSignal,
): Promise<ClientRun> {
  const began = performance.now();
  const folder = resolve(output, scenario.name);
  mkdirSync(folder, { recursive: true });
  const tasks = join(folder, 'tasks.ndjson');
  const report = join(folder, 'report.ndjson');
  const printed = printedIn(output, scenario);
  const view = join(folder, 'service.json');
  // An earlier command may have left something that is not a file.
  for (const path of [tasks, report, printed, view]) rmSync(path, { recursive: true, force: true });
  await using sandbox = await openSandbox(url, scenario);
  const all = scenario.first === undefined ? [scenario.task] : [scenario.first, scenario.task];
  writeFileSync(tasks, writeTasks(all, sandbox.target, sandbox.etag));
  writeFileSync(report, '');
  const values = { ...sandbox.target, tasks, report, timeoutMs: String(attemptTimeout), cwd: process.cwd() };
  const place = { folder, output: printed, maxOutput: MAX_OUTPUT };
  const over = new AbortController();
  const adding = sandbox.add(over.signal);
  const stop = AbortSignal.any([aborted, AbortSignal.timeout(timeout)]);
  const end = await runCommand(command, values, { ...place, stop });
  const ended = Date.now();
  over.abort();
  await adding;
  const seen = await sandbox.read();
  const { attempts, stored, hasMet } = seen;
  const { belief, problem } = readReport(report, all.length, scenario.task);
  const plant = stored.find(({ id }) => id === scenario.task.plant.id);
  // The command may have removed the folder.
  mkdirSync(folder, { recursive: true });
  writeFileSync(view, serviceView(scenario, seen, belief));
  return {
    scenario,
    outcome: judge(scenario, belief, attempts, plant),
    reason: reasonAgainst(belief, attempts, hasMet, ended - (attempts.at(-1)?.begins ?? 0) >= attemptTimeout),
    conduct: conductOf(attempts),
    problem: describeEnd(end) ?? problem,
    milliseconds: Math.round(performance.now() - began),
  };
}

function describeEnd({ wasStopped, signal, exitCode }: Ended): string | undefined {
  if (wasStopped) return 'it did not end in time';
  return exitCode === 0 ? undefined : `it ended with ${signal ?? `exit code ${exitCode}`}`;
}
