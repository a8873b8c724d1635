/** The options that `grade client` and `grade receiver` share. This file loads nothing that runs a grading. */
import { type OptionReader, type Options, type Stdio, UsageError } from '../../src/cli/command-line.ts';
import { SWITCH } from '../../src/cli/options.ts';
import { columns, print, widthOf } from '../../src/cli/output.ts';
import { integer, text, words } from '../../src/cli/values.ts';
import type { Candidate } from './candidates.ts';
import { refuseUnknown, requireCommand } from './grade-options.ts';
import { refuseSameFiles } from './result-file.ts';
import type { Wishes } from './scenario-grading.ts';

/** The outcomes but the best, each with its word. */
const wordsOf = ({ outcomes: [_, ...wrong] }: Candidate): ReadonlyMap<string, string> =>
  new Map([...wrong, 'void'].map((outcome) => [outcome.replaceAll(' ', '-'), outcome]));

/** Reads outcomes such as `ghost,wrong-data`. */
function outcomesOf(candidate: Candidate): OptionReader<readonly string[]> {
  const known = wordsOf(candidate);
  return (text) =>
    text.split(/[\s,]+/).map((word) => {
      const found = known.get(word);
      if (found !== undefined) return found;
      throw new Error(`it must be some of ${[...known.keys()].join(', ')}`);
    });
}

/** `jobs`: the default, in words. */
export const scenarioOptions = (candidate: Candidate, jobs: string) =>
  ({
    only: { read: words, value: 'NAME', list: true, help: 'Runs only these scenarios.' },
    list: { ...SWITCH, help: 'Prints the scenarios, each with a sentence, and runs nothing.' },
    jobs: {
      read: integer(1, 100),
      value: 'NUMBER',
      help: `Number of scenarios at the same time. Default: ${jobs} for each processor core.`,
    },
    output: {
      read: text,
      value: 'FOLDER',
      help: `Where the files of each scenario go. Default: plantstore-${candidate.name}-TIME.`,
    },
    json: {
      read: text,
      value: 'FILE',
      help: 'File for the outcome of every scenario, in JSON, or - for standard output.',
    },
    failOn: {
      read: outcomesOf(candidate),
      value: 'OUTCOME',
      list: true,
      help:
        'Exits with 3 if a scenario has one of these outcomes, such as ' +
        `${[...wordsOf(candidate).keys()].slice(-4, -1).join()}.` +
        (candidate.isStrict ? ` Default: all but ${candidate.outcomes[0]}, or none with --baseline.` : ''),
    },
    baseline: {
      read: text,
      value: 'FILE',
      help: 'An earlier result (--json). Exits with 3 if the outcome of a scenario is worse than in it.',
    },
    description: {
      read: text,
      value: 'TEXT',
      help: `Name, version and configuration of the ${candidate.name}, for --json.`,
    },
  }) satisfies Options;

interface Config {
  readonly only: readonly string[] | undefined;
  readonly list: boolean;
  readonly failOn: readonly string[] | undefined;
  readonly baseline: string | undefined;
  readonly output: string | undefined;
  readonly json: string | undefined;
  readonly description: string | undefined;
}

/** The scenarios to run, or undefined if the user only wanted to see them. `words`: the command after `--`. */
export async function chooseScenarios<Scenario extends { readonly name: string; readonly does: string }>(
  candidate: Candidate,
  all: readonly Scenario[],
  { only, list }: Config,
  words: readonly string[],
  { stdout }: Stdio,
): Promise<readonly Scenario[] | undefined> {
  const name = `grade ${candidate.name}`;
  const names = all.map((scenario) => scenario.name);
  // Checked first: without --, the words of the command are names for --only.
  if (!list) requireCommand(words, candidate.name, name, candidate.placeholders);
  refuseUnknown('--only', 'scenario', only, names, `plantstore ${name} --list`);
  const scenarios = all.filter((scenario) => only?.includes(scenario.name) ?? true);
  if (list) {
    const rows = scenarios.map((scenario) => [scenario.name, scenario.does]);
    await print(stdout, `${columns([['SCENARIO', 'WHAT HAPPENS'], ...rows], widthOf(stdout))}\n`);
    return undefined;
  }
  return scenarios;
}

/** Rejects with a StartupError if the baseline cannot be read, or with a UsageError if it has no such scenario. */
export async function wishesOf(
  candidate: Candidate,
  { failOn, output, json, description, ...config }: Config,
  scenarios: readonly { readonly name: string }[],
): Promise<Wishes> {
  // The result would replace the baseline, also if it is worse or has only a few scenarios.
  refuseSameFiles({ json, output, baseline: config.baseline });
  const { readRecord } = await import('./scenario-record.ts');
  const baseline = config.baseline === undefined ? undefined : readRecord(config.baseline, candidate);
  if (baseline?.outcomes.every(({ scenario }) => !scenarios.some(({ name }) => name === scenario)))
    throw new UsageError('--baseline: the result has none of the scenarios that are run now');
  return { demands: { failOn, baseline }, output, json, description };
}
