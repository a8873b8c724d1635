/** Runs a client through the scenarios, each in its own process and sandbox, and judges what the client believes. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ClientOutcome } from '../../util/meanings.ts';
import { type Ended, runCommand } from '../command.ts';
import {
  describeEnd,
  MAX_OUTPUT,
  openScenarioFolder,
  runScenarios,
  type ScenarioGrading,
  writeScenarioFile,
} from '../scenario-runs.ts';
import type { Scenario } from './scenario.ts';
import { openSandbox } from './scenario-sandbox.ts';
import { serviceView } from './service-view.ts';
import { readReport, writeTasks } from './task-files.ts';
import { type Conduct, conductOf, judge, reasonAgainst } from './verdict.ts';

export interface ClientGrading extends ScenarioGrading<Scenario> {
  /** The longest time of an attempt, which the client is told, in milliseconds. */
  readonly attemptTimeout: number;
}

export interface ClientRun {
  readonly scenario: Scenario;
  /** `void`: the scenario has not happened to the client, in three tries, so there is nothing to judge. */
  readonly outcome: ClientOutcome | 'void';
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

/** Runs all scenarios. Only the first is run if its command fails without a request. */
export const gradeClient = (
  grading: ClientGrading,
  url: string,
  aborted: AbortSignal,
  ended: (run: ClientRun) => void,
): Promise<readonly ClientRun[]> => {
  const run = (scenario: Scenario, stop: AbortSignal) => tryScenario(scenario, grading, url, stop);
  const isHopeless = ({ conduct, problem }: ClientRun) => conduct.attempts === 0 && problem !== undefined;
  return runScenarios(grading, { run, isHopeless, ended }, aborted);
};

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
  const files = ['tasks.ndjson', 'report.ndjson', 'output.txt', 'service.json'] as const;
  const [folder, tasks, report, printed, view] = await openScenarioFolder(output, scenario, ...files);
  await using sandbox = await openSandbox(url, scenario);
  const all = scenario.first === undefined ? [scenario.task] : [scenario.first, scenario.task];
  await writeScenarioFile(tasks, writeTasks(all, sandbox.target, sandbox.etag));
  await writeScenarioFile(report, '');
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
  const { attempts, received, isWhole, stored, hasMet } = seen;
  const { belief, problem } = readReport(report, all.length, scenario.task);
  await writeScenarioFile(view, serviceView(scenario, seen, belief));
  // A client that looks first need not send a request that must fail.
  const hasLooked = scenario.right === 'failure' && belief.of === 'failed' && received.length > 0;
  const hasWaited = ended - (attempts.at(-1)?.begins ?? 0) >= attemptTimeout;
  return {
    scenario,
    outcome: judge(scenario, belief, attempts, stored),
    reason: isWhole
      ? reasonAgainst(belief, attempts, hasMet, hasWaited, hasLooked)
      : 'the client sent more requests than the service records',
    conduct: conductOf(attempts),
    problem: problemOf(end) ?? problem,
    milliseconds: Math.round(performance.now() - began),
  };
}

function problemOf(end: Ended): string | undefined {
  if (end.wasStopped) return 'it did not end in time';
  return end.exitCode === 0 ? undefined : describeEnd(end);
}
