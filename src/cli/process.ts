/** Runs a program in this process: passes arguments, environment, streams and signals to the command line. */
import { type Program, runCommandLine } from './run-command.ts';

/** Signals to stop. A service manager, Ctrl-C and a closing terminal send them. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Whether SIGHUP was ignored when bin/plantstore started, as under nohup. Node itself resets ignored signals. */
const mustIgnoreHangup = process.env['IGNORE_SIGHUP'] === '1';
/**
 * Signals within this time of the first signal count as the same stop: for one Ctrl-C, the terminal and npm each send a
 * signal, and `timeout` signals its child and then the group.
 */
const ONE_SIGNAL_MS = 500;
/** How long the process waits at its end for its output to be read. */
const UNREAD_MS = 1_000;

let isStopping = false;

/** Resolves at the first signal. A second signal then ends the process immediately. */
const stopped = () =>
  new Promise<void>((resolve) => {
    const stop = () => {
      isStopping = true;
      setTimeout(() => {
        for (const signal of SIGNALS) process.off(signal, stop);
      }, ONE_SIGNAL_MS).unref();
      resolve();
    };
    for (const signal of SIGNALS) if (signal !== 'SIGHUP' || !mustIgnoreHangup) process.on(signal, stop);
  });

/** Resolves when the command has ended. Its exit code is then the exit code of the process. */
export async function runProcess(program: Program): Promise<void> {
  // A signal with a listener does not end the process.
  if (mustIgnoreHangup) process.on('SIGHUP', () => undefined);

  // Without a listener, an 'error' event ends the process. A log on a full disk or without a reader must not do that.
  // Commands handle errors of their output themselves (cli/output.ts).
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  const stdio = {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    stopped,
    exit: (code: number) => process.exit(code),
  };
  process.exitCode = await runCommandLine(process.argv.slice(2), stdio, program);

  // Otherwise a full pipe whose reader hangs would keep the process alive.
  if (isStopping) setTimeout(() => process.exit(), UNREAD_MS).unref();
}
