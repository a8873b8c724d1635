/** Runs a grading of a client for the command line: shows its progress, records the outcomes, and prints them. */

import type { Stdio } from '../../src/cli/command-line.ts';
import { createStatusLine, print, widthOf } from '../../src/cli/output.ts';
import { besideOutputs } from '../../src/cli/output-file.ts';
import { StartupError } from '../../src/errors.ts';
import { type RunningPlantStore, startPlantStore } from '../../src/index.ts';
import { type ClientGrading, type ClientRun, gradeClient } from '../grade/client/client-run.ts';
import { clientRecord, clientText, RECORD_BEGINNING } from './client-text.ts';
import { inOutputFolder } from './grade-folder.ts';
import { requireOutput, writeOutput } from './result-file.ts';

interface Record {
  /** The file for the record. */
  readonly json: string | undefined;
  /** Name, version and configuration of the client. */
  readonly description: string | undefined;
}

/** Resolves to 0 if every scenario was run, and to 1 if the grading was stopped before. */
export async function runClientGrading(
  grading: ClientGrading,
  { json, description }: Record,
  outputs: Stdio,
  stopped: Promise<void>,
): Promise<number> {
  const stdio = besideOutputs(outputs, json);
  if (json !== undefined) await requireOutput(json, RECORD_BEGINNING);
  const runs = await inOutputFolder(grading.output, () => runAll(grading, stdio, stopped));
  try {
    if (runs.length > 0 && runs.every(({ conduct }) => conduct.attempts === 0)) {
      const why = runs[0]?.problem ?? runs[0]?.reason;
      throw new StartupError(
        `no result: no scenario got a request: ${why}; what the command printed is in ${grading.output}`,
      );
    }
    await print(stdio.stdout, clientText(grading, runs, widthOf(stdio.stdout)));
    return runs.length === grading.scenarios.length ? 0 : 1;
  } finally {
    // After the outcomes, which then are not lost if the file cannot be written.
    if (json !== undefined) await writeOutput(outputs, json, clientRecord(grading, runs, description));
  }
}

async function runAll(grading: ClientGrading, stdio: Stdio, stopped: Promise<void>): Promise<readonly ClientRun[]> {
  const aborted = new AbortController();
  void stopped.then(() => aborted.abort());
  const service = await startSandboxes(stdio);
  const line = createStatusLine(stdio.stderr);
  let done = 0;
  try {
    return await gradeClient(grading, service.url, aborted.signal, ({ scenario, outcome }) => {
      line.show(`${++done} of ${grading.scenarios.length}: ${scenario.name}, ${outcome}`);
    });
  } finally {
    line.clear();
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
