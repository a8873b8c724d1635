/** Runs a receiver through the scenarios, each in its own process and with its own webhook, and judges what it did. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, runCommand } from '../command.ts';
import { freePort } from './free-port.ts';
import { readReport } from './report.ts';
import type { Scenario } from './scenarios.ts';
import { type Attempt, createTestWebhook } from './test-webhook.ts';
import { judge, type Outcome, type Sent, worstOf } from './verdict.ts';

export interface ReceiverGrading {
  readonly command: readonly string[];
  readonly scenarios: readonly Scenario[];
  /** How many scenarios run side by side. */
  readonly jobs: number;
  /** The path of the receiver's address. */
  readonly path: string;
  /** The longest time that the receiver may take to start, in milliseconds. */
  readonly timeout: number;
  /** The folder for the files of every scenario. */
  readonly output: string;
}

export interface ReceiverRun {
  readonly scenario: Scenario;
  /** `void`: the receiver could not be reached, so there is nothing to judge. */
  readonly outcome: Outcome | 'void';
  /** The statuses that it answered, or how its command ended, or what is wrong with its report. */
  readonly reason: string | undefined;
  readonly milliseconds: number;
}

/** How long a receiver that has answered may take to store a message, in milliseconds. */
const SETTLE_MS = 2_000;
const LOOK_MS = 25;
/** The most bytes of a command's output that are kept. */
const MAX_OUTPUT = 1_048_576;
/** The plant of the last message. A receiver that works must store it after everything else. */
const LAST = { id: 2n, name: 'The last plant' };

/** The file with what the command printed in a scenario. */
export const printedIn = (output: string, { name }: Scenario): string => join(output, name, 'output.txt');

/** Runs the scenarios, several at a time, until `aborted`. If the first one is void, no other is run. */
export async function gradeReceiver(
  grading: ReceiverGrading,
  service: string,
  aborted: AbortSignal,
  ended: (run: ReceiverRun) => void,
): Promise<readonly ReceiverRun[]> {
  const runs: ReceiverRun[] = [];
  const left = grading.scenarios.values();
  const work = async () => {
    for (const scenario of left) {
      if (aborted.aborted) return;
      const run = await runScenario(scenario, grading, service, aborted);
      if (aborted.aborted) return;
      runs.push(run);
      ended(run);
      if (runs.every(({ outcome }) => outcome === 'void')) return;
    }
  };
  await Promise.all(Array.from({ length: grading.jobs }, work));
  const order = grading.scenarios;
  return runs.sort((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario));
}

async function runScenario(
  scenario: Scenario,
  { command, path, timeout, output }: ReceiverGrading,
  service: string,
  aborted: AbortSignal,
): Promise<ReceiverRun> {
  const began = performance.now();
  const folder = resolve(output, scenario.name);
  mkdirSync(folder, { recursive: true });
  const [report, view, printed] = [
    join(folder, 'report.ndjson'),
    join(folder, 'messages.json'),
    printedIn(output, scenario),
  ];
  // An earlier command may have left something that is not a file.
  for (const path of [report, view, printed]) rmSync(path, { recursive: true, force: true });
  writeFileSync(report, '');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}${path}`;
  await using webhook = await createTestWebhook(service, url);
  const secret = scenario.hasNewSecret ? await webhook.rotate() : webhook.secret;
  const over = new AbortController();
  const stop = AbortSignal.any([aborted, over.signal]);
  const values = { url, port: String(port), secret, report, cwd: process.cwd() };
  const running = runCommand(command, values, { folder, output: printed, maxOutput: MAX_OUTPUT, stop });
  const gone = new AbortController();
  const leave = () => gone.abort();
  running.then(leave, leave);
  const left = AbortSignal.any([aborted, gone.signal]);
  let sent: readonly Sent[] = [];
  const isListening = await waitFor(() => isReachable(port), timeout, left);
  if (isListening) {
    const own = await scenario.perform({ webhook, url, secret });
    await webhook.create(LAST.id, LAST.name);
    sent = [...sentBy(await webhook.delivered(left)), ...own];
    const isSettled = () =>
      sent.every(({ ids, right }) => right !== 'stored' || readReport(report).stored.some((id) => ids.includes(id)));
    await waitFor(async () => isSettled(), SETTLE_MS, left);
  }
  over.abort();
  const end = await running;
  const { stored, problem } = readReport(report);
  const judged = sent.map((one) => ({ ...one, outcome: judge(one, stored) }));
  const crashed: readonly Outcome[] = end.wasStopped ? [] : ['crashed'];
  const outcome = isListening ? worstOf([...judged.map((one) => one.outcome), ...crashed]) : 'void';
  // The command may have removed the folder.
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    view,
    `${JSON.stringify({ scenario: scenario.name, does: scenario.does, sent: judged, stored }, undefined, 2)}\n`,
  );
  const reasons = isListening
    ? [
        ...judged
          .filter((one) => one.outcome === outcome)
          .slice(0, 1)
          .map(describeAnswers),
        describeEnd(end),
        problem,
      ]
    : [describeEnd(end) ?? `it did not listen on port ${port} of 127.0.0.1`];
  return {
    scenario,
    outcome,
    reason: outcome === 'verified' ? undefined : reasons.filter((one) => one !== undefined).join(', '),
    milliseconds: Math.round(performance.now() - began),
  };
}

/** The messages of the service. A message that was sent again counts as one. */
function sentBy(attempts: readonly Attempt[]): readonly Sent[] {
  return [...Map.groupBy(attempts, ({ message }) => message)].map(([id, all]) => ({
    ids: [id],
    right: all.some(({ type }) => type === 'webhook.test') ? 'acknowledged' : 'stored',
    answers: all.map(({ status }) => status),
  }));
}

function describeAnswers({ answers }: Sent): string {
  return `answered ${answers.map((answer) => answer ?? 'nothing').join(', ')}`;
}

function describeEnd({ wasStopped, signal, exitCode }: Ended): string | undefined {
  return wasStopped ? undefined : `it ended with ${signal ?? `exit code ${exitCode}`}`;
}

/** Resolves to whether something became true in time. */
async function waitFor(isTrue: () => Promise<boolean>, ms: number, stop: AbortSignal): Promise<boolean> {
  const until = performance.now() + ms;
  while (!stop.aborted) {
    if (await isTrue()) return true;
    if (performance.now() > until) return false;
    await sleep(LOOK_MS);
  }
  return false;
}

function isReachable(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
