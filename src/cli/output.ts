/** Standard output, noticing when it did not arrive; tables of text, and the progress line of a long command. */
import { fstatSync, readSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { StartupError } from '../errors.ts';

/** The reader of the output has left, as `head` does: the command ends with exit code 1 and says nothing. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Resolves when the text was taken. Rejects with OutputClosed, or with a StartupError that says what is in the way. */
export function print(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (isClosed(output)) throw new StartupError('cannot write to standard output: it is closed');
    output.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
      if (error == null) resolve();
      else if (error.code === 'EPIPE') reject(new OutputClosed());
      else {
        const why = `cannot write to standard output: ${error.code ?? error.message}`;
        reject(new StartupError(why, { cause: error }));
      }
    });
  });
}

/**
 * Where an output is closed Node opens the null device instead. It does so to read as well, unlike a shell that is told to
 * throw output away.
 */
function isClosed(output: Writable): boolean {
  if (!('fd' in output && typeof output.fd === 'number') || isatty(output.fd)) return false;
  if (!fstatSync(output.fd).isCharacterDevice()) return false;
  try {
    return readSync(output.fd, Buffer.alloc(1)) === 0;
  } catch {
    // EBADF: it was opened to write alone.
    return false;
  }
}

/** Characters in a line of help where it is no terminal that shows it. */
export const WIDTH = 100;

/** How many characters a line of an output holds. */
export function widthOf(output: Writable): number {
  return 'columns' in output && typeof output.columns === 'number' ? output.columns : WIDTH;
}

/** Rows of cells, one below the other; the last cell of a row goes on in further lines where it is wider than `width` lets it. */
export function columns(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const indent = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0);
  const lines = rows.flatMap((row) => {
    const [last = '', ...more] = wrapped(row.at(-1) ?? '', width - indent);
    const cells = row.slice(0, -1).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return [[...cells, last].join('  '), ...more.map((line) => ' '.repeat(indent) + line)];
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** A narrower column would not be read more easily. */
const NARROWEST = 30;

/** A text in lines, broken between words. */
export function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > Math.max(width, NARROWEST)) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/** A line at a terminal, rewritten in place; nothing elsewhere. */
export function createStatusLine(stream: NodeJS.WritableStream) {
  const isTerminal = 'isTTY' in stream && stream.isTTY === true;
  const write = (text: string) => void (isTerminal && stream.write(`${CLEAR}${text}`));
  return { isTerminal, show: write, clear: () => write('') };
}

export type Progress = ReturnType<typeof createProgress>;

const BAR = 30;
const CLEAR = '\r\u001B[K';

/** On a terminal only, rewritten in place. `size`: the bytes there are in all, where that is known. */
export function createProgress(stream: NodeJS.WritableStream, size: number | undefined) {
  const line = createStatusLine(stream);
  const began = performance.now();
  const number = (value: number) => Math.round(value).toLocaleString('en-US');
  return {
    show(bytes: number, plants: number) {
      const rate = plants / ((performance.now() - began) / 1_000);
      const bar = size === undefined || size === 0 ? '' : barOf(Math.min(bytes / size, 1));
      line.show(`${bar}${number(plants)} plants, ${number(rate)} a second`);
    },
    clear: line.clear,
  };
}

export function barOf(fraction: number): string {
  const full = '#'.repeat(Math.round(fraction * BAR));
  return `[${full.padEnd(BAR, '-')}] ${String(Math.floor(fraction * 100)).padStart(3)} %  `;
}
