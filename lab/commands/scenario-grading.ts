/** Runs a grading in scenarios for the command line: shows its progress, records the outcomes, and prints them. */
import { existsSync, readFileSync } from 'node:fs';
import { program, type Stdio } from '../../src/cli/command-line.ts';
import { print, widthOf } from '../../src/cli/output.ts';
import { besideOutputs } from '../../src/cli/output-file.ts';
import { StartupError } from '../../src/errors.ts';
import { startPlantStore } from '../../src/index.ts';
import { lastLine } from '../grade/command.ts';
import { printedIn, type ScenarioGrading } from '../grade/scenario-runs.ts';
import type { Candidate } from './candidates.ts';
import { openOutputFolder } from './grade-folder.ts';
import { UNMET } from './grade-options.ts';
import { requireOutput, writeOutput } from './result-file.ts';
import { type Demands, differencesOf, unmetDemands } from './scenario-demands.ts';
import { showScenarios } from './scenario-progress.ts';
import { type GradedRun, RECORD_BEGINNING, recorded, recordOf } from './scenario-record.ts';
import { scenarioText } from './scenario-text.ts';

/** Where the record goes, and what the user demands of it. */
export interface Wishes {
  readonly demands: Demands;
  /** The folder for the files of every scenario. Default: a new one. */
  readonly output: string | undefined;
  /** The file for the record. */
  readonly json: string | undefined;
  /** Name, version and configuration of the candidate. */
  readonly description: string | undefined;
}

interface Work<Run> {
  /** Further options of the service. */
  readonly serve: readonly string[];
  /** `output`: the folder for the files of every scenario. */
  grade(output: string, url: string, aborted: AbortSignal, ended: (run: Run) => void): Promise<readonly Run[]>;
  /** Why there is no result, in one line. Undefined: there is one. */
  explainSilence(runs: readonly Run[], output: string): string | undefined;
}

/**
 * Resolves to 0, to 1 if the grading was stopped before its end, or to UNMET. If a scenario cannot be run, the record
 * has the scenarios that ended before, in the order of their ends.
 */
export async function runScenarioGrading<Run extends GradedRun>(
  candidate: Candidate,
  planned: Omit<ScenarioGrading<unknown>, 'output'>,
  work: Work<Run>,
  { demands, output, json, description }: Wishes,
  outputs: Stdio,
  stopped: Promise<void>,
): Promise<number> {
  const stdio = besideOutputs(outputs, json);
  if (json !== undefined) await requireOutput(json, RECORD_BEGINNING);
  using folder = await openOutputFolder(candidate.name, output);
  const grading = { ...planned, output: folder.path };
  const record = (runs: readonly Run[]) => recordOf(candidate, grading, runs.map(recorded), description);
  const write = async (text: string) => json !== undefined && (await writeOutput(outputs, json, text));
  const ended: Run[] = [];
  const ran = await runAll(grading, work, stdio, stopped, ended).catch(async (error) => {
    if (ended.length > 0) await write(record(ended).text);
    return folder.fail(error, ended.length > 0);
  });
  // An earlier file of --json has more than a record without a scenario.
  if (ran.length === 0) throw new StartupError('stopped before the end of the first scenario');
  const runs = ran.map(recorded);
  const result = record(ran);
  try {
    const silence = work.explainSilence(ran, folder.path);
    if (silence !== undefined) throw new StartupError(`no result: ${silence}`);
    const width = widthOf(stdio.stdout);
    await print(stdio.stdout, scenarioText(candidate, grading, runs, width, program(stdio.env)));
    const unmet = unmetDemands(candidate, runs, demands, width);
    const { baseline } = demands;
    const notes = baseline === undefined ? [] : differencesOf(baseline, result).map((note) => `Baseline: ${note}`);
    await print(stdio.stdout, [...notes, ...unmet.reasons].map((text) => `\n${text}\n`).join(''));
    if (runs.length < grading.scenarios.length) return 1;
    return unmet.isUnmet ? UNMET : 0;
  } finally {
    // After the outcomes, which then are not lost if the file cannot be written.
    await write(result.text);
  }
}

async function runAll<Run extends GradedRun>(
  { scenarios, output }: ScenarioGrading<unknown>,
  { serve, grade }: Work<Run>,
  stdio: Stdio,
  stopped: Promise<void>,
  ended: Run[],
): Promise<readonly Run[]> {
  const aborted = new AbortController();
  void stopped.then(() => aborted.abort());
  // On a free port with a temporary database. Its sandboxes have no limits that a grading could reach.
  const service = await startPlantStore({
    sandboxes: true,
    args: ['--no-docs', '--log-level', 'error', ...serve],
    log: (line) => stdio.stderr.write(line),
  });
  const progress = showScenarios(stdio, scenarios.length);
  try {
    return await grade(output, service.url, aborted.signal, (run) => {
      ended.push(run);
      progress.ended(run);
    });
  } finally {
    progress.clear();
    await service.close();
  }
}

/** The most characters of a line of the command's output in an error. */
const LONGEST_LINE = 200;

/** What the command printed in a scenario, in a few words, with its file. */
export function describePrinted(output: string, scenario: { readonly name: string }): string {
  const printed = printedIn(output, scenario);
  const text = existsSync(printed) ? readFileSync(printed, 'utf8') : '';
  const last = lastLine(text).trim().slice(0, LONGEST_LINE);
  return last === '' ? 'the command printed nothing' : `the last line that it printed is "${last}", in ${printed}`;
}
