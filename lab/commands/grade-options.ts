/**
 * What the options of the `grade` commands share: the command behind --, the output folder, and names that a
 * user may mistype.
 */

import { UsageError } from '../../src/cli/command-line.ts';
import { suggest } from '../../src/util/nearest.ts';
import { refuseLostFiles } from './lost-files.ts';
import { refuseMistyped } from './lost-placeholders.ts';

/** The exit code if a tester, client or receiver does not meet a demand of the user. */
export const UNMET = 3;

/** The output folder of a grading that names none, such as `plantstore-grade-2026-11-23T13-00-00`. */
export const outputFolder = (kind: 'grade' | 'client' | 'receiver'): string =>
  `plantstore-${kind}-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`;

/**
 * Throws a UsageError if no words stand behind `--`, if the command would not find a file, or if a placeholder is
 * mistyped. `name` is the name of the command that needs the words.
 */
export function requireCommand(
  words: readonly string[],
  what: 'tester' | 'client' | 'receiver',
  name: string,
  placeholders: readonly string[] = [],
): void {
  if (words.length === 0) {
    const example = `plantstore ${name} -- my-${what}`;
    throw new UsageError(`the command that runs the ${what} is missing: put it behind --, as in ${example}`);
  }
  refuseLostFiles(words);
  refuseMistyped(words, placeholders);
}

/**
 * Throws a UsageError if one of the names is unknown. `list`: the command that lists the known names, if they are many.
 */
export function refuseUnknown(
  flag: string,
  what: string,
  names: readonly string[] = [],
  known: readonly string[],
  list?: string,
): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const all = list === undefined ? `they are ${known.join(', ')}` : `${list} lists them`;
  throw new UsageError(`${flag}: no such ${what}${suggest(unknown, known)}; ${all}`);
}
