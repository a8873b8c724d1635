/** Owns writing what a command was asked for to standard output, and noticing when it did not arrive. */
import type { Writable } from 'node:stream';
import { StartupError } from '../errors.ts';

/** Whoever read the output has left, as `head` does: the command ends with exit code 1 and says nothing. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Resolves when the text was taken. Rejects with OutputClosed, or with a StartupError that says what is in the way. */
export function print(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(refusal(error));
    });
  });
}

function refusal(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE') return new OutputClosed();
  return new StartupError(`cannot write to standard output: ${error.code ?? error.message}`, { cause: error });
}
