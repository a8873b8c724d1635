/** The lines of an import's input. */

/** A longer line, or record of several lines, is refused, and not kept in memory. */
export const MAX_BYTES = 2 ** 20;

export interface Line {
  /** From 1. */
  readonly line: number;
  /** With its line end, and without the byte order mark with which some editors begin a file. */
  readonly bytes: Buffer;
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Yields the lines of each piece of the input. `end`: finds line ends in a text that has a character for each byte. */
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
    // Of a line that is too long its last bytes are enough: it is refused whatever they are.
    rest = block.subarray(Math.max(start, block.length - MAX_BYTES - 1));
  }
  if (rest.length > 0) yield [next(rest)];
}
