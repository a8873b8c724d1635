/** The text of a result, and its output: standard output, a pipe, a device, or a file that replaces an earlier one. */
import { lstatSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Stdio, UsageError } from '../../src/cli/command-line.ts';
import { printData } from '../../src/cli/output.ts';
import { isStandardOutput, writeStream } from '../../src/cli/output-file.ts';
import {
  alreadyThere,
  explainReadErrors,
  explainWriteErrors,
  isPipeOrDevice,
  writeNewFile,
} from '../../src/util/new-file.ts';
import { decodeReport } from '../util/decode-report.ts';

/** Throws a UsageError if two options name the same file. `paths`: the options by their flags. */
export function refuseSameFiles(paths: Readonly<Record<string, string | undefined>>): void {
  const given = Object.entries(paths).flatMap(([flag, path]) => (path === undefined ? [] : [{ flag, path }]));
  for (const [i, one] of given.entries()) {
    const other = given.slice(i + 1).find(({ path }) => isSameFile(one.path, path));
    if (other !== undefined) throw new UsageError(`--${one.flag} and --${other.flag} name the same file`);
  }
}

const isSameFile = (one: string, other: string): boolean =>
  resolve(one) === resolve(other) || (isStandardOutput(one) && isStandardOutput(other));

/** Reads a file once, since it may be a pipe. Some shells and editors write UTF-16 or a mark of the byte order. */
export const readResultText = (path: string): string => decodeReport(explainReadErrors(path, () => readFileSync(path)));

/** Rejects with a StartupError if an output cannot be written, or is a file that does not begin with these words. */
export async function requireOutput(path: string, beginning: string): Promise<void> {
  if (isStandardOutput(path) || (await isPipeOrDevice(path))) return;
  await explainWriteErrors(path, () => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const isOwn = stats?.isFile() && (stats.size === 0 || readFileSync(path, 'utf8').startsWith(beginning));
    if (stats !== undefined && !isOwn) throw alreadyThere(path);
    // Permissions do not reveal a read-only file system, so this tries what writeNewFile does.
    mkdtempDisposableSync(`${path}.partial-`).remove();
  });
}

/** Writes a text to an output. An earlier file is replaced. */
export async function writeOutput({ stdout }: Stdio, path: string, text: string): Promise<void> {
  if (isStandardOutput(path)) await printData(stdout, text);
  else if (await isPipeOrDevice(path)) await writeStream(path, text);
  else await writeNewFile(path, async (partial) => writeFileSync(partial, text), true);
}
