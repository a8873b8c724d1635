/** What the options of the `grade` commands share: the command after --, and names that a user may mistype. */

import { UsageError } from '../../src/cli/command-line.ts';
import { suggest } from '../../src/util/nearest.ts';
import { refuseLostFiles } from './lost-files.ts';
import { refuseMistyped } from './lost-placeholders.ts';

/** The exit code if a tester, client or receiver does not meet a demand of the user. */
export const UNMET = 3;

/**
 * Throws a UsageError if no words follow `--`, if the command would not find a file, or if a placeholder is
 * mistyped, and a StartupError if there is no current folder. `name` is the name of the command that needs the words.
 */
export function requireCommand(
  words: readonly string[],
  what: 'tester' | 'client' | 'receiver',
  name: string,
  placeholders: readonly string[] = [],
): void {
  if (words.length === 0) {
    const example = `plantstore ${name} -- my-${what}`;
    throw new UsageError(`the command that runs the ${what} is missing: put it after --, as in ${example}`);
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
  throw new UsageError(`${flag} ${unknown}: no such ${what}${suggest(unknown, known)}; ${all}`);
}
