/** Runs a grading of a receiver for the command line. */
import type { Stdio } from '../../src/cli/command-line.ts';
import { gradeReceiver, isHopeless, type ReceiverGrading, type ReceiverRun } from '../grade/receiver/receiver-run.ts';
import { RECEIVER } from './candidates.ts';
import { describePrinted, runScenarioGrading, type Wishes } from './scenario-grading.ts';

/** The webhooks of the service may send to this machine. */
const SERVE = ['--webhooks', '--webhook-allow', '127.0.0.0/8'];

export function runReceiverGrading(
  planned: Omit<ReceiverGrading, 'output'>,
  wishes: Wishes,
  outputs: Stdio,
  stopped: Promise<void>,
): Promise<number> {
  const work = {
    serve: SERVE,
    grade: (output: string, url: string, aborted: AbortSignal, ended: (run: ReceiverRun) => void) =>
      gradeReceiver({ ...planned, output }, url, aborted, ended),
    explainSilence,
  };
  return runScenarioGrading(RECEIVER, planned, work, wishes, outputs, stopped);
}

/** Why a receiver has no result that cannot be reached or loses every message, in one line. */
function explainSilence([first]: readonly ReceiverRun[], output: string): string | undefined {
  if (first === undefined || !isHopeless(first)) return undefined;
  const { outcome, reason = '', scenario } = first;
  const printed = describePrinted(output, scenario);
  if (outcome === 'void') {
    const hint = 'it runs in an empty folder, so {cwd}/FILE is a file of your folder; {port} is the port to listen on';
    return `the receiver could not be reached: ${reason}; ${printed}; ${hint}`;
  }
  const what = 'the receiver did not store the first right message, so no other scenario was run';
  return `${what}: ${reason}; ${remedyFor(reason)}; ${printed}`;
}

/** `reason`: begins with the statuses that the receiver answered. */
function remedyFor(reason: string): string {
  const [, status = ''] = /answered .*?(\d{3})(?!.*\d{3})/.exec(reason) ?? [];
  if (status === '') return 'it must answer within 15 s';
  if (status.startsWith('2'))
    return 'it must add the line {"id":"…"} for each message to {report} (PLANTSTORE_REPORT) within 2 s';
  if (status === '404' || status === '405') return '--path is the path to which the messages are sent';
  if (status.startsWith('4')) return 'the secret is {secret} (PLANTSTORE_SECRET)';
  return 'it must answer 2xx';
}
