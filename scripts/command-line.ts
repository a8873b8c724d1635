/** Reads the command lines of the scripts that prove, grade and measure. */
import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Parses the command line of the script in `file` (`import.meta.filename`). `--help` prints the comment at its head. A
 * wrong option ends the process with 2.
 */
export function readCommandLine<const Config extends ParseArgsConfig>(file: string, config: Config) {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${headOf(file)}\n`);
    process.exit(0);
  }
  try {
    return parseArgs<Config>(config);
  } catch (error) {
    return refuse(Error.isError(error) ? error.message : String(error));
  }
}

/** Returns the entries with these names, or all of them without names. An unknown name ends the process with 2. */
export function choose<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  names: readonly string[],
): readonly Entry[] {
  const known = entries.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) refuse(`there is no ${unknown.join(', ')}, only ${known.join(', ')}`);
  return names.length === 0 ? entries : entries.filter(({ name }) => names.includes(name));
}

/** Ends the process with 2 and a line that names the problem. */
export function refuse(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

/** Returns the text of the first comment. */
function headOf(file: string): string {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(file, 'utf8')) ?? [];
  return comment.replaceAll(/^ *\* ?/gm, '').trim();
}
