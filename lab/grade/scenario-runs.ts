/** Runs the scenarios of a grading, several at a time, each in a folder of its own. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { explainWriteErrors } from '../../src/util/new-file.ts';
import type { Ended } from './command.ts';

interface Named {
  readonly name: string;
}

/** The part of a grading that does not depend on what is graded. */
export interface ScenarioGrading<Scenario> {
  readonly command: readonly string[];
  readonly scenarios: readonly Scenario[];
  /** How many scenarios run side by side. */
  readonly jobs: number;
  /** The longest time of the command, in milliseconds. */
  readonly timeout: number;
  /** The folder for the files of every scenario. */
  readonly output: string;
}

/** The most bytes of a command's output that are kept. */
export const MAX_OUTPUT = 1_048_576;

interface Steps<Scenario, Run> {
  /** `stop`: ends the run, whose result then does not count. */
  run(scenario: Scenario, stop: AbortSignal): Promise<Run>;
  /** Whether the other scenarios would fail for the same reason. */
  isHopeless(run: Run): boolean;
  /** Called after each scenario. */
  ended(run: Run): void;
}

/**
 * Runs the scenarios until `aborted`. The first one runs alone. If its run is hopeless, no other is run. If a run
 * fails, the others end, and the returned promise rejects with its error.
 */
export async function runScenarios<Scenario, Run extends { readonly scenario: Scenario }>(
  { scenarios, jobs }: Pick<ScenarioGrading<Scenario>, 'scenarios' | 'jobs'>,
  { run, isHopeless, ended }: Steps<Scenario, Run>,
  aborted: AbortSignal,
): Promise<readonly Run[]> {
  const runs: Run[] = [];
  const left = scenarios.values();
  const failed = new AbortController();
  const stop = AbortSignal.any([aborted, failed.signal]);
  const perform = async (scenario: Scenario) => {
    if (stop.aborted) return;
    try {
      const done = await run(scenario, stop);
      if (stop.aborted) return;
      runs.push(done);
      ended(done);
    } catch (error) {
      if (!stop.aborted) failed.abort(error);
    }
  };
  const { value: first } = left.next();
  if (first !== undefined) await perform(first);
  failed.signal.throwIfAborted();
  if (runs.some(isHopeless)) return runs;
  const work = async () => {
    for (const scenario of left) await perform(scenario);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  failed.signal.throwIfAborted();
  return runs.sort((a, b) => scenarios.indexOf(a.scenario) - scenarios.indexOf(b.scenario));
}

/** The file with what the command printed in a scenario. */
export const printedIn = (output: string, { name }: Named): string => join(output, name, 'output.txt');

/** Writes a file of a scenario, also if the command has removed its folder. Rejects with a StartupError. */
export function writeScenarioFile(path: string, text: string): Promise<void> {
  return explainWriteErrors(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  });
}

/**
 * Makes the folder of a scenario. Resolves to its path, and to the paths of files in it that do not exist yet. Rejects
 * with a StartupError.
 */
export function openScenarioFolder<Names extends readonly string[]>(
  output: string,
  { name }: Named,
  ...names: Names
): Promise<readonly [folder: string, ...files: { [Key in keyof Names]: string }]> {
  const folder = resolve(output, name);
  return explainWriteErrors(folder, () => {
    mkdirSync(folder, { recursive: true });
    const files = names.map((file) => join(folder, file));
    // An earlier command may have left something that is not a file.
    for (const path of files) rmSync(path, { recursive: true, force: true });
    return [folder, ...(files as { [Key in keyof Names]: string })] as const;
  });
}

/** How the command ended, or undefined if the grader ended it. */
export function describeEnd({ wasStopped, signal, exitCode }: Ended): string | undefined {
  return wasStopped ? undefined : `it ended with ${signal ?? `exit code ${exitCode}`}`;
}
