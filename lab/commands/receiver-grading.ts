/** Runs a grading of a receiver for the command line: shows its progress, records the outcomes, and prints them. */
import { existsSync, readFileSync } from 'node:fs';
import type { Stdio } from '../../src/cli/command-line.ts';
import { columns, print, widthOf, wrap } from '../../src/cli/output.ts';
import { besideOutputs } from '../../src/cli/output-file.ts';
import { StartupError } from '../../src/errors.ts';
import { type RunningPlantStore, startPlantStore } from '../../src/index.ts';
import { version } from '../../src/util/version.generated.ts';
import { gradeReceiver, printedIn, type ReceiverGrading, type ReceiverRun } from '../grade/receiver/receiver-run.ts';
import { MEANINGS, OUTCOMES } from '../grade/receiver/verdict.ts';
import { inOutputFolder } from './grade-folder.ts';
import { UNMET } from './grade-options.ts';
import { recordText } from './record-text.ts';
import { requireOutput, writeOutput } from './result-file.ts';
import { showScenarios } from './scenario-progress.ts';

/** The version of the format. A new major version may remove or change members; any other only adds members. */
const FORMAT = '1.0.0';
/** The beginning of every result. Any other file is left alone. */
const BEGINNING = '{\n  "plantStoreReceiverGrading": "';
/** The most characters of a line of the command's output in an error. */
const LONGEST_LINE = 200;

interface Wishes {
  /** The file for the result. */
  readonly json: string | undefined;
  /** Name, version and configuration of the receiver. */
  readonly description: string | undefined;
}

/** Resolves to 0 if every outcome is verified, to UNMET if another is not, or to 1 if the grading was stopped. */
export async function runReceiverGrading(
  grading: ReceiverGrading,
  { json, description }: Wishes,
  outputs: Stdio,
  stopped: Promise<void>,
): Promise<number> {
  const stdio = besideOutputs(outputs, json);
  if (json !== undefined) await requireOutput(json, BEGINNING);
  const runs = await inOutputFolder(grading.output, () => runAll(grading, stdio, stopped));
  try {
    if (runs.length > 0 && runs.every(({ outcome }) => outcome === 'void')) {
      throw new StartupError(describeSilence(runs, grading.output));
    }
    await print(stdio.stdout, receiverText(grading, runs, widthOf(stdio.stdout)));
    if (runs.length < grading.scenarios.length) return 1;
    return runs.every(({ outcome }) => outcome === 'verified') ? 0 : UNMET;
  } finally {
    // After the outcomes, which then are not lost if the file cannot be written.
    if (json !== undefined) await writeOutput(outputs, json, receiverRecord(grading, runs, description));
  }
}

async function runAll(grading: ReceiverGrading, stdio: Stdio, stopped: Promise<void>): Promise<readonly ReceiverRun[]> {
  const aborted = new AbortController();
  void stopped.then(() => aborted.abort());
  const service = await startWebhooks(stdio);
  const progress = showScenarios(stdio, grading.scenarios.length);
  try {
    return await gradeReceiver(grading, service.url, aborted.signal, progress.ended);
  } finally {
    progress.clear();
    await service.close();
  }
}

/** A service on a free port with a temporary database, whose webhooks may send to this machine. */
function startWebhooks({ stderr }: Stdio): Promise<RunningPlantStore> {
  return startPlantStore({
    sandboxes: true,
    args: ['--webhooks', '--webhook-allow', '127.0.0.0/8', '--no-docs', '--log-level', 'error'],
    log: (line) => stderr.write(line),
  });
}

/** Why a receiver has no result that could not be reached, in one line. */
function describeSilence([first]: readonly ReceiverRun[], output: string): string {
  if (first === undefined) return 'no result';
  const printed = printedIn(output, first.scenario);
  const text = existsSync(printed) ? readFileSync(printed, 'utf8') : '';
  const last = text.trimEnd().split('\n').at(-1)?.trim().slice(0, LONGEST_LINE) ?? '';
  const shown = last === '' ? 'the command printed nothing' : `the last line that it printed is "${last}"`;
  const hint = 'it runs in an empty folder, so {cwd}/FILE is a file of your folder; {port} is the port to listen on';
  return `no result: the receiver could not be reached: ${first.reason}; ${shown}, in ${printed}; ${hint}`;
}

function receiverText({ scenarios, output }: ReceiverGrading, runs: readonly ReceiverRun[], width: number): string {
  const rows = runs.map(({ scenario, outcome, reason }) => [scenario.name, outcome, reason ?? '']);
  const counts = ([...OUTCOMES, 'void'] as const)
    .map((outcome) => ({ outcome, count: runs.filter((run) => run.outcome === outcome).length }))
    .filter(({ count }) => count > 0);
  const explained = counts.filter(({ outcome }) => outcome !== 'verified');
  const parts = [
    ...(runs.length < scenarios.length ? [`Stopped: ${runs.length} of ${scenarios.length} scenarios were run.`] : []),
    columns([['SCENARIO', 'OUTCOME', ''], ...rows], width),
    counts.map(({ outcome, count }) => `${count} ${outcome}`).join(', '),
    ...(explained.length === 0
      ? []
      : [
          columns(
            explained.map(({ outcome }) => [outcome, MEANINGS[outcome]]),
            width,
          ),
        ]),
    wrap(`The files of each scenario are in ${output}. messages.json has what was sent and answered.`, width).join(
      '\n',
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function receiverRecord(
  { command, path, timeout, jobs }: ReceiverGrading,
  runs: readonly ReceiverRun[],
  description: string | undefined,
): string {
  const outcomes = runs.map(({ scenario: { name, does }, ...run }) => ({ scenario: name, does, ...run }));
  const options = { path, timeout, jobs };
  const head = { plantStoreReceiverGrading: FORMAT, plantStore: version, receiver: description, command, options };
  return recordText({ ...head, outcomes });
}
