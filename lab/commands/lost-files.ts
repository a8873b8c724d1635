/** Finds the words of a graded command that cannot work in the empty folder in which the command runs. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { UsageError } from '../../src/cli/command-line.ts';
import { suggest } from '../../src/util/nearest.ts';

const HERE = '{cwd}/';
const SCRIPT = /\.(?:bash|[cm]?[jt]s|exs|jar|lua|php|pl|py|rb|sh)$/;
/** A value that is known only in a run, an address, or a text with blanks, such as the script of `sh -c`. */
const NO_PATH = /\{(?!cwd\}\/)|:\/\/|\s/;

/**
 * Throws a UsageError for a word that names a file of the current folder without {cwd}, and for a script that does not
 * exist. Other words may be outputs or subcommands, so they may have any name.
 */
export function refuseLostFiles([program = '', ...args]: readonly string[]): void {
  refuseBackslashes(program, '');
  for (const [i, arg] of args.entries()) {
    const [, flag = '', word = ''] = /^(--?[\w-]+=)?(.*)$/s.exec(arg) ?? [];
    if (NO_PATH.test(word)) continue;
    if (isFile(word.replaceAll('\\', '/'))) refuseBackslashes(word, flag);
    const isValue = flag !== '' || args[i - 1]?.startsWith('-') === true;
    const isInput = SCRIPT.test(word) || (!isValue && /[./]/.test(word));
    if (isInput && isRelative(word) && (isFile(word) || (word.includes('/') && existsSync(word)))) {
      throw lost(word, `it runs in an empty folder; write ${flag}${withFolder(word)}`);
    }
  }
  const script = args.find((arg) => !arg.startsWith('-')) ?? '';
  if (SCRIPT.test(script) && !NO_PATH.test(script)) refuseMissing(script);
}

function refuseMissing(word: string): void {
  const path = resolve(word.startsWith(HERE) ? word.slice(HERE.length) : word);
  if (existsSync(path)) return;
  const meant = suggest(basename(path), filesIn(dirname(path)));
  const how = isRelative(word) ? `; write ${HERE} before the name of a file of this folder` : '';
  throw lost(word, `there is no such file${meant}${how}`);
}

/** On Windows a path may have backslashes. */
function refuseBackslashes(word: string, flag: string): void {
  if (process.platform === 'win32' || !word.includes('\\')) return;
  const path = word.replaceAll('\\', '/');
  throw lost(word, `paths are written with / here; write ${flag}${withFolder(path)}`);
}

const lost = (word: string, why: string) => new UsageError(`the command would not find ${word}: ${why}`);
const isRelative = (word: string) => !isAbsolute(word) && !word.startsWith(HERE) && !word.startsWith('-');
const withFolder = (word: string) => (isRelative(word) ? HERE + word.replace(/^\.\//, '') : word);
const isFile = (path: string) => existsSync(path) && statSync(path).isFile();

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
