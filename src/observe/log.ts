/** The log: JSON lines on standard error. No part of the service passes a credential or a body to it. */
import type { Writable } from 'node:stream';
import { type DestinationStream, pino } from 'pino';
import { printableJson } from '../util/printable.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The part of pino's logger that the service uses. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
}

/** Members of a database error that quote its input, for example a plant, or a statement with its parameters. */
const REDACTED = ['err.detail', 'err.where'];

/** The most bytes that wait in memory for the stream's reader. Further lines are counted and dropped. */
const MAX_WAITING = 1_048_576;

type Sink = Pick<Writable, 'write' | 'writableLength'>;

/**
 * Opens the log. At a terminal it has lines for people, made by a library that is loaded only then. They leave out
 * successful GET requests to `polled` paths. `secret`: a text without characters that JSON escapes. Every line has `…`
 * in its place.
 */
export async function openLogger(
  level: LogLevel,
  stream: Sink & NodeJS.WritableStream,
  polled: readonly RegExp[] = [],
  secret?: string,
): Promise<Logger> {
  if (!('isTTY' in stream) || stream.isTTY !== true) return createLogger(level, stream, secret);
  const { openTerminal } = await import('./terminal.ts');
  const terminal = openTerminal(stream, polled);
  const sink = {
    write: (line: string) => terminal.write(line),
    get writableLength() {
      return stream.writableLength;
    },
  };
  return createLogger(level, sink, secret);
}

export function createLogger(level: LogLevel, stream: Sink, secret?: string): Logger {
  const redact = { paths: REDACTED, remove: true };
  let lost = 0;
  const destination: DestinationStream = {
    write(line) {
      if (stream.writableLength > MAX_WAITING) {
        lost++;
        return;
      }
      const lines = lost;
      lost = 0;
      if (lines > 0) logger.warn({ lines }, 'the log was not read in time, so lines were left out');
      // JSON escapes only a part of what a terminal obeys, and operators read the log at terminals.
      stream.write(printableJson(secret === undefined ? line : line.replaceAll(secret, '…')));
    },
  };
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact }, destination);
  return logger;
}
