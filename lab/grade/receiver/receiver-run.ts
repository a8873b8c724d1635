/** Runs a receiver through the scenarios, each in its own process and with its own webhook, and judges what it did. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RECEIVER_OUTCOMES, type ReceiverOutcome } from '../../util/meanings.ts';
import { runCommand } from '../command.ts';
import { worstOf } from '../outcomes.ts';
import {
  describeEnd,
  MAX_OUTPUT,
  openScenarioFolder,
  runScenarios,
  type ScenarioGrading,
  writeScenarioFile,
} from '../scenario-runs.ts';
import { freePort } from './free-port.ts';
import { readReport } from './report.ts';
import { CONTROL, type Scenario } from './scenarios.ts';
import { serviceView } from './service-view.ts';
import { type Attempt, createTestWebhook } from './test-webhook.ts';
import { isSuccess, judge, type Sent } from './verdict.ts';

/** `timeout`: the longest time that the receiver may take to start, in milliseconds. */
export interface ReceiverGrading extends ScenarioGrading<Scenario> {
  /** The path of the receiver's address. */
  readonly path: string;
}

export interface ReceiverRun {
  readonly scenario: Scenario;
  /** `void`: the receiver could not be reached, so there is nothing to judge. */
  readonly outcome: ReceiverOutcome | 'void';
  /** The statuses that it answered, or how its command ended, or what is wrong with its report. */
  readonly reason: string | undefined;
  readonly milliseconds: number;
}

/** How long a receiver that has answered may take to store a message, in milliseconds. */
const SETTLE_MS = 2_000;
const LOOK_MS = 25;
/** The plant of the last message. A receiver that works must store it after everything else. */
const LAST = { id: 2n, name: 'The last plant' };

/** Runs all scenarios. Only the first is run if the receiver cannot be reached, or loses the message of the control. */
export const gradeReceiver = (
  grading: ReceiverGrading,
  service: string,
  aborted: AbortSignal,
  ended: (run: ReceiverRun) => void,
): Promise<readonly ReceiverRun[]> => {
  const run = (scenario: Scenario, stop: AbortSignal) => runScenario(scenario, grading, service, stop);
  return runScenarios(grading, { run, isHopeless, ended }, aborted);
};

export const isHopeless = ({ scenario, outcome }: ReceiverRun): boolean =>
  outcome === 'void' || (scenario === CONTROL && outcome === 'lost');

async function runScenario(
  scenario: Scenario,
  { command, path, timeout, output }: ReceiverGrading,
  service: string,
  aborted: AbortSignal,
): Promise<ReceiverRun> {
  const began = performance.now();
  const files = ['report.ndjson', 'service.json', 'output.txt'] as const;
  const [folder, report, view, printed] = await openScenarioFolder(output, scenario, ...files);
  await writeScenarioFile(report, '');
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
  let attempts: readonly Attempt[] = [];
  let sent: readonly Sent[] = [];
  const isListening = await waitFor(() => isReachable(port), timeout, left);
  if (isListening) {
    const own = await scenario.perform({ webhook, url, secret });
    await webhook.create(LAST.id, LAST.name);
    attempts = await webhook.delivered(left);
    sent = [...sentBy(attempts), ...own];
    // Each accepted message may still be stored, also a message that must not be.
    const isSettled = () => {
      const { stored } = readReport(report);
      return sent.every(({ ids, answers }) => {
        return stored.filter((id) => ids.includes(id)).length >= answers.filter(isSuccess).length;
      });
    };
    await waitFor(async () => isSettled(), SETTLE_MS, left);
  }
  over.abort();
  const end = await running;
  const { stored, problem } = readReport(report);
  const judged = sent.map((one) => ({ ...one, outcome: judge(one, stored) }));
  const crashed: readonly ReceiverOutcome[] = end.wasStopped ? [] : ['crashed'];
  const outcomes = [...judged.map((one) => one.outcome), ...crashed];
  const outcome = isListening ? worstOf(RECEIVER_OUTCOMES, outcomes) : 'void';
  await writeScenarioFile(view, serviceView(scenario, attempts, judged, stored));
  const worst = judged.find((one) => one.outcome === outcome);
  const reasons = isListening
    ? [worst && describeAnswers(worst), describeEnd(end), problem]
    : [describeEnd(end) ?? `it did not listen on port ${port} of 127.0.0.1`];
  return {
    scenario,
    outcome,
    reason: outcome === 'verified' ? undefined : reasons.filter((one) => one !== undefined).join(', '),
    milliseconds: Math.round(performance.now() - began),
  };
}

/** The messages of the service, whose last attempt comes first. A message that was sent again counts as one. */
function sentBy(attempts: readonly Attempt[]): readonly Sent[] {
  return [...Map.groupBy(attempts, ({ message }) => message)].map(([id, all]) => ({
    ids: [id],
    right: all.some(({ type }) => type === 'webhook.test') ? 'acknowledged' : 'stored',
    answers: all.map(({ status }) => status).reverse(),
  }));
}

const describeAnswers = ({ answers }: Sent) => `answered ${answers.map((answer) => answer ?? 'nothing').join(', ')}`;

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
