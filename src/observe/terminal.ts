/** The log for people at a terminal: a request in one line, everything else as pino-pretty shows it. */
import { styleText } from 'node:util';
import { type PrettyStream, default as pretty } from 'pino-pretty';

/** The JSON lines that it is given, on `stream`; in colour where the terminal has colours. */
export function openTerminal(stream: NodeJS.WritableStream): Pick<PrettyStream, 'write'> {
  // As this stream has them, not standard output; https://no-color.org.
  const isPlain = Boolean(process.env['NO_COLOR']);
  const colour = (format: Parameters<typeof styleText>[0], text: string) =>
    isPlain ? text : styleText(format, text, { stream });
  const colorize = colour('red', ' ') !== ' ';
  const lines = pretty({ destination: stream, translateTime: 'SYS:HH:MM:ss.l', colorize });
  return {
    write(line) {
      const { time, method = '-', path = '-', status, error, why, milliseconds } = JSON.parse(line);
      // Only a response has one.
      if (status === undefined) return lines.write(line);
      const clock = new Date(time).toTimeString().slice(0, 8);
      const code = colour(status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status));
      const problem = error === undefined ? '' : ` ${error} ${why}`;
      const took = colour('dim', `${milliseconds} ms`);
      return stream.write(`${colour('dim', clock)} ${method} ${visible(path)} ${code}${problem} ${took}\n`);
    },
  };
}

/** A path may hold what a terminal takes as a command. */
function visible(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/g, '�');
}
