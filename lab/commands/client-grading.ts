/** Runs a grading of a client for the command line: shows its progress, records the outcomes, and prints them. */

import { existsSync, readFileSync } from 'node:fs';
import type { Stdio } from '../../src/cli/command-line.ts';
import { print, widthOf } from '../../src/cli/output.ts';
import { besideOutputs } from '../../src/cli/output-file.ts';
import { StartupError } from '../../src/errors.ts';
import { type RunningPlantStore, startPlantStore } from '../../src/index.ts';
import { printable } from '../../src/util/printable.ts';
import { version } from '../../src/util/version.generated.ts';
import { type ClientGrading, type ClientRun, gradeClient, printedIn } from '../grade/client/client-run.ts';
import { type ClientDemands, differencesOf, unmetDemands } from './client-demands.ts';
import { clientRecord, RECORD_BEGINNING } from './client-record.ts';
import { clientText } from './client-text.ts';
import { inOutputFolder } from './grade-folder.ts';
import { UNMET } from './grade-options.ts';
import { requireOutput, writeOutput } from './result-file.ts';
import { showScenarios } from './scenario-progress.ts';

/** The most characters of a line of the command's output in an error. */
const LONGEST_LINE = 200;

/** Where the record goes, and what the user demands of it. */
interface Wishes {
  readonly demands: ClientDemands;
  /** The file for the record. */
  readonly json: string | undefined;
  /** Name, version and configuration of the client. */
  readonly description: string | undefined;
}

/** Resolves to 0 if every scenario was run, to 1 if the grading was stopped before, or to UNMET. */
export async function runClientGrading(
  grading: ClientGrading,
  { demands, json, description }: Wishes,
  outputs: Stdio,
  stopped: Promise<void>,
): Promise<number> {
  const stdio = besideOutputs(outputs, json);
  if (json !== undefined) await requireOutput(json, RECORD_BEGINNING);
  const runs = await inOutputFolder(grading.output, () => runAll(grading, stdio, stopped));
  try {
    if (runs.length > 0 && runs.every(({ conduct }) => conduct.attempts === 0)) {
      throw new StartupError(describeSilence(runs, grading.output));
    }
    await print(stdio.stdout, clientText(grading, runs, widthOf(stdio.stdout)));
    const outcomes = runs.map(({ scenario, outcome }) => ({ scenario: scenario.name, outcome }));
    const unmet = unmetDemands(outcomes, demands);
    const { baseline } = demands;
    const now = { plantStore: version, attemptTimeout: grading.attemptTimeout, outcomes };
    const notes = baseline === undefined ? [] : differencesOf(baseline, now).map((note) => `Baseline: ${note}`);
    await print(stdio.stdout, [...notes, ...unmet].map((line) => `\n${printable(line)}\n`).join(''));
    if (runs.length < grading.scenarios.length) return 1;
    return unmet.length > 0 ? UNMET : 0;
  } finally {
    // After the outcomes, which then are not lost if the file cannot be written.
    if (json !== undefined) await writeOutput(outputs, json, clientRecord(grading, runs, description));
  }
}

/** Why a client has no result that sent no request, in one line. */
function describeSilence(runs: readonly ClientRun[], output: string): string {
  const [first] = runs;
  if (first === undefined || first.problem === undefined)
    return `no result: no scenario got a request: ${first?.reason}; what the command printed is in ${output}`;
  const printed = printedIn(output, first.scenario);
  const text = existsSync(printed) ? readFileSync(printed, 'utf8') : '';
  const last = text.trimEnd().split('\n').at(-1)?.trim().slice(0, LONGEST_LINE) ?? '';
  const shown =
    last === '' ? 'the command printed nothing' : `the last line that it printed is "${last}", in ${printed}`;
  const hint = 'it runs in an empty folder, so {cwd}/FILE is a file of your folder';
  return `no result: the first scenario got no request, so no other was run: ${first.problem}; ${shown}; ${hint}`;
}

async function runAll(grading: ClientGrading, stdio: Stdio, stopped: Promise<void>): Promise<readonly ClientRun[]> {
  const aborted = new AbortController();
  void stopped.then(() => aborted.abort());
  const service = await startSandboxes(stdio);
  const progress = showScenarios(stdio, grading.scenarios.length);
  try {
    return await gradeClient(grading, service.url, aborted.signal, progress.ended);
  } finally {
    progress.clear();
    await service.close();
  }
}

/** A service on a free port with a temporary database, whose sandboxes have no limits that a grading could reach. */
function startSandboxes({ stderr }: Stdio): Promise<RunningPlantStore> {
  return startPlantStore({
    sandboxes: true,
    args: ['--no-docs', '--log-level', 'error'],
    log: (line) => stderr.write(line),
  });
}
