/** The entry: the process's arguments, environment, streams and signals, and nothing else. */
import { run } from './cli/run.ts';

/** What tells the process to stop: a service manager, Ctrl-C, a terminal that is closed. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/**
 * One stop can send two signals: npm passes on the Ctrl-C that the terminal sends this process too, and `timeout` signals
 * its child and then the group. Those within this time of the first count as the same one.
 */
const ONE_SIGNAL_MS = 500;
/** How long a process that was told to stop waits, when all else is done, until its output is read. */
const UNREAD_MS = 1_000;

let isTold = false;

/** Resolves at the first signal. From this call on the first no longer ends the process by itself; a second one does. */
const stopped = () =>
  new Promise<void>((resolve) => {
    const stop = () => {
      isTold = true;
      setTimeout(() => {
        for (const signal of SIGNALS) process.off(signal, stop);
      }, ONE_SIGNAL_MS).unref();
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    // A program that started this one with a message channel has ended: without it nobody would tell this one to stop.
    process.once('disconnect', stop);
    process.channel?.unref();
  });

// Without a listener an 'error' ends the process: a log on a full disk, or whose reader has left, must not end the
// service. A command notices by itself when its output fails (cli/output.ts).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  stopped,
  exit: (code) => process.exit(code),
});
// Otherwise a log that is a full pipe, with a reader that hangs, would keep the process alive.
if (isTold) setTimeout(() => process.exit(), UNREAD_MS).unref();
