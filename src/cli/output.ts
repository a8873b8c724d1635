/** Writes to standard output, formats tables, and shows the progress of a long command. */
import { fstatSync, readSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { StartupError } from '../errors.ts';
import { printable, printableJson, printableLines } from '../util/printable.ts';
import { explainSystemError } from '../util/system-error.ts';
import type { Stdio } from './command-line.ts';

/** The reader of the output closed it, as `head` does. The command exits with 1 and prints nothing more. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/**
 * Prints lines that are safe for a terminal. Resolves when they are written. Rejects with OutputClosed, or with a
 * StartupError that has the reason.
 */
export const print = (output: Writable, text: string): Promise<void> => write(output, printableLines(text));

/** Like `print`, but writes data unchanged, unless a terminal would show the data. */
export const printData = (output: Writable, data: string): Promise<void> =>
  isTerminal(output) ? print(output, data) : write(output, data);

/** Writes a message as one line. Nobody needs to know whether it was written. `done` is called in any case. */
export function tell(output: NodeJS.WritableStream, line: string, done: () => void = () => undefined): void {
  output.write(`${printable(line)}\n`, done);
}

/** A value as JSON, with characters that a terminal would obey as escapes. */
export const jsonText = (value: unknown, indent?: number): string => printableJson(JSON.stringify(value, null, indent));

export const isTerminal = (stream: NodeJS.WritableStream): boolean => 'isTTY' in stream && stream.isTTY === true;

function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (isClosed(output)) throw new StartupError('cannot write to standard output: it is closed');
    const done = (error: NodeJS.ErrnoException | null | undefined) => {
      if (error == null) resolve();
      else if (error.code === 'EPIPE') reject(new OutputClosed());
      else {
        const why = explainSystemError(error) ?? error.message;
        reject(new StartupError(`cannot write to standard output: ${why}`, { cause: error }));
      }
    };
    if ('fd' in output && typeof output.fd === 'number' && fstatSync(output.fd).isFile())
      done(writeWhole(output.fd, Buffer.from(text)));
    else output.write(text, done);
  });
}

/** Writes to a file. Node's stream writes once, and does not notice if a full disk takes only a part. */
function writeWhole(fd: number, bytes: Buffer): NodeJS.ErrnoException | undefined {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** Node replaces a closed output by the null device, which is also readable. With `>/dev/null` it is only writable. */
function isClosed(output: Writable): boolean {
  if (!('fd' in output && typeof output.fd === 'number') || isatty(output.fd)) return false;
  if (!fstatSync(output.fd).isCharacterDevice()) return false;
  try {
    return readSync(output.fd, Buffer.alloc(1)) === 0;
  } catch {
    // EBADF: it was opened only for writing.
    return false;
  }
}

/** The width of help in characters, if the output is not a terminal. */
export const WIDTH = 100;

/** The width of an output in characters. A terminal without a size, such as one of `script`, has 0 columns. */
export function widthOf(output: NodeJS.WritableStream): number {
  return 'columns' in output && typeof output.columns === 'number' && output.columns > 0 ? output.columns : WIDTH;
}

/** Rows of cells as aligned columns. The last cell of a row is wrapped so that no line is wider than `width`. */
export function columns(given: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string {
  const rows = given.map((row) => row.map(printable));
  // Not Math.max(...lengths): a call may have only about 120,000 arguments.
  const widthOfColumn = (column: number) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0);
  const widths = rows[0]?.map((_, column) => widthOfColumn(column)) ?? [];
  const indent = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0);
  const lines = rows.flatMap((row) => {
    const [last = '', ...more] = wrap(row.at(-1) ?? '', width - indent);
    const cells = row.slice(0, -1).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return [[...cells, last].join('  '), ...more.map((line) => ' '.repeat(indent) + line)];
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** The narrowest column that is easy to read. */
const NARROWEST = 30;

/** Breaks a text into lines, between words. */
export function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of printable(text).split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > Math.max(width, NARROWEST)) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

export interface StatusLine {
  readonly isTerminal: boolean;
  show(text: string): void;
  clear(): void;
}

const CLEAR = '\r\u001B[K';

/** A line that is rewritten in place, only at a terminal that can clear a line. A dumb terminal would print CLEAR. */
export function createStatusLine({ stderr: stream, env }: Pick<Stdio, 'stderr' | 'env'>): StatusLine {
  const shows = isTerminal(stream) && env['TERM'] !== 'dumb';
  // A longer line would wrap, and only its last row could be cleared.
  const write = (text: string) => void (shows && stream.write(CLEAR + printable(text).slice(0, widthOf(stream) - 1)));
  return { isTerminal: shows, show: write, clear: () => write('') };
}

const BAR = 30;

/** A bar that is filled from the left, with the percentage. `fraction`: 0 to 1. */
export function barOf(fraction: number): string {
  const full = '#'.repeat(Math.round(fraction * BAR));
  return `[${full.padEnd(BAR, '-')}] ${String(Math.floor(fraction * 100)).padStart(3)} %  `;
}
