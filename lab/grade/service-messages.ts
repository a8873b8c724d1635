/** The messages of a service to the grader, one per line. docs/manifest.md describes them. */
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { parseJson } from '../../src/contract/json.ts';
import { array, integer, object, optional, type TypeOf, text } from '../../src/contract/schema.ts';

/** The longest line of the channel, in bytes. A message with the longest permitted list `reached` is shorter. */
const MAX_LINE = 16 * 1_024 * 1_024;

const count = integer(0, Number.MAX_SAFE_INTEGER);
const words = text({ maxLength: 200, rule: 'a string of at most 200 characters' });

/** A message from the service. */
const Message = object({
  url: optional(text({ pattern: /^https?:\/\/[^/]+(\/.*)?[^/]$/, rule: 'an http URL without a slash at the end' })),
  counts: optional(
    object({
      requests: count,
      triggered: count,
      candidates: optional(count),
      succeeded: count,
      credentials: optional(count),
      first: optional(object({ requests: count, milliseconds: count })),
      reached: optional(array(words, 10_000)),
    }),
  ),
});

/** Reads a line of the channel, or returns what is wrong with it. */
function readMessage(line: string): TypeOf<typeof Message> | string {
  const parsed = parseJson(Buffer.from(line));
  const errors = 'error' in parsed ? [parsed.error] : [];
  const message = 'error' in parsed ? undefined : Message.read(parsed.value, parsed.written, 'it', errors);
  return message === undefined || errors.length > 0 ? `it sent a wrong message: ${errors[0]}` : message;
}

/** Calls `onMessage` for each message, and `onWrong` with the reason for a line that cannot be read. */
export function readMessages(
  channel: Duplex,
  onWrong: (why: string) => void,
  onMessage: (message: TypeOf<typeof Message>) => void,
): void {
  let lineLength = 0;
  // The reader of lines keeps a line until its end.
  channel.on('data', (chunk: Buffer) => {
    const at = chunk.lastIndexOf('\n');
    lineLength = at === -1 ? lineLength + chunk.length : chunk.length - at - 1;
    if (lineLength > MAX_LINE) onWrong('it sent a line of more than 16 MiB on the channel');
  });
  const lines = createInterface({ input: channel });
  // The end of the service is reported elsewhere. Node 26 repeats errors of the channel on `lines`.
  channel.on('error', () => undefined);
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    const message = readMessage(line);
    if (typeof message === 'string') onWrong(message);
    else onMessage(message);
  });
}
