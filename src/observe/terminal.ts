/**
 * The log for people at a terminal: each request is one short line, and pino-pretty formats all other lines. The
 * requests that an open page sends again and again have no line.
 */
import { styleText } from 'node:util';
import { type PrettyStream, default as pretty } from 'pino-pretty';

/** An open page asks for these all the time. Their lines would push all others off the screen. */
const POLLED = /\/sandbox(?:\/(?:faults|plants|requests))?$/;

/** Writes JSON lines to `stream` for people, in colour if the terminal has colours. */
export function openTerminal(stream: NodeJS.WritableStream): Pick<PrettyStream, 'write'> {
  // https://no-color.org
  const isPlain = Boolean(process.env['NO_COLOR']);
  const colour = (format: Parameters<typeof styleText>[0], text: string) =>
    isPlain ? text : styleText(format, text, { stream });
  const colorize = colour('red', ' ') !== ' ';
  const lines = pretty({ destination: stream, translateTime: 'SYS:HH:MM:ss.l', colorize });
  return {
    write(line) {
      const { time, method = '-', path = '-', status, error, why, milliseconds, fault } = JSON.parse(line);
      // Only the line about a response has a status.
      if (status === undefined) return lines.write(line);
      if (method === 'GET' && status === 200 && POLLED.test(path)) return true;
      const clock = new Date(time).toTimeString().slice(0, 8);
      const code = colour(status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status));
      const problem = error === undefined ? '' : ` ${error} ${why}`;
      const asked = fault === undefined ? '' : ` (fault: ${fault})`;
      const took = colour('dim', `${milliseconds} ms`);
      return stream.write(
        `${colour('dim', clock)} ${method} ${replaceControls(path)} ${code}${problem}${asked} ${took}\n`,
      );
    },
  };
}

/** Replaces control characters in a path, which a terminal would execute. */
function replaceControls(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/g, '�');
}
