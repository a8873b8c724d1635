/** The lines of an import's input. */

/** The most bytes of a line or record. Longer ones are refused and not kept in memory. */
export const MAX_BYTES = 2 ** 20;

export interface Line {
  /** Lines count from 1. */
  readonly line: number;
  /** The line with its line end, without the byte order mark that some editors put at the beginning of a file. */
  readonly bytes: Buffer;
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Yields the lines of each piece of the input. `end` matches line ends in a text with one character for each byte. */
export async function* readLines(input: AsyncIterable<Buffer>, end: RegExp): AsyncGenerator<readonly Line[]> {
  let line = 0;
  let rest = Buffer.alloc(0);
  const next = (bytes: Buffer): Line => {
    line++;
    const hasMark = line === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    return { line, bytes: hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes };
  };
  for await (const piece of input) {
    const block = Buffer.concat([rest, piece]);
    const lines: Line[] = [];
    let start = 0;
    for (const { index, 0: found } of block.toString('latin1').matchAll(end)) {
      lines.push(next(block.subarray(start, index + found.length)));
      start = index + found.length;
    }
    yield lines;
    // The last bytes of a line that is too long are enough, since it is refused anyway.
    rest = block.subarray(Math.max(start, block.length - MAX_BYTES - 1));
  }
  if (rest.length > 0) yield [next(rest)];
}
