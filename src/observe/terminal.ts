/** The log for people at a terminal: each request is one short line, and pino-pretty formats all other lines. */
import { styleText } from 'node:util';
import { type PrettyStream, default as pretty } from 'pino-pretty';
import { printable, printableLines } from '../util/printable.ts';

/** The members of the line about a response, which are absent from other lines. */
interface LogRecord {
  readonly time: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly error?: number;
  readonly why?: string;
  readonly milliseconds?: number;
  readonly note?: string;
}

/**
 * Writes JSON lines to `stream` for people, in colour if the terminal has colours. `polled`: the paths that an open
 * page reads again and again. Their lines would push all others off the screen, so a successful GET request has none.
 */
export function openTerminal(stream: NodeJS.WritableStream, polled: readonly RegExp[]): Pick<PrettyStream, 'write'> {
  // https://no-color.org
  const isPlain = Boolean(process.env['NO_COLOR']);
  const colour = (format: Parameters<typeof styleText>[0], text: string) =>
    isPlain ? text : styleText(format, text, { stream });
  const colorize = colour('red', ' ') !== ' ';
  const lines = pretty({ destination: stream, translateTime: 'SYS:HH:MM:ss.l', colorize });
  return {
    write(line) {
      const record = printableValue(JSON.parse(line)) as LogRecord;
      const { time, method = '-', path = '-', status, error, why, milliseconds, note } = record;
      // Only the line about a response has a status.
      if (status === undefined) return lines.write(`${JSON.stringify(record)}\n`);
      if (method === 'GET' && status === 200 && polled.some((pattern) => pattern.test(path))) return true;
      const clock = new Date(time).toTimeString().slice(0, 8);
      const code = colour(status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status));
      const problem = error === undefined ? '' : ` ${error} ${why}`;
      const noted = note === undefined ? '' : ` (${note})`;
      const took = colour('dim', `${milliseconds} ms`);
      return stream.write(`${colour('dim', clock)} ${method} ${path} ${code}${problem}${noted} ${took}\n`);
    },
  };
}

/** Makes each text printable, names of members included. Only stacks keep their lines, which pino-pretty indents. */
function printableValue(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'stack' ? printableLines(value) : printable(value);
  if (Array.isArray(value)) return value.map((each) => printableValue(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [printable(key), printableValue(member, key)]),
  );
}
