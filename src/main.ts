/** The entry: the process's arguments, environment, streams and signals, and nothing else. */
import { run } from './cli/run.ts';

/** npm passes on a Ctrl-C that the terminal has sent us too, and `timeout` signals us and then its group: this is one. */
const ONE_SIGNAL_MS = 500;
/** How long what was written waits for its reader once all else is done, in a process that was told to stop. */
const UNREAD_MS = 1_000;

let isTold = false;

/** From when a command asks for it, a signal no longer ends the process by itself; a second one does. */
const stopped = () =>
  new Promise<void>((resolve) => {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    const ignoreNoMore = () => {
      for (const signal of signals) process.off(signal, stop);
    };
    const stop = () => {
      isTold = true;
      setTimeout(ignoreNoMore, ONE_SIGNAL_MS).unref();
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
  });

// What a command prints, it looks after itself. A log that cannot be written, on a full disk or with nobody to read it,
// must not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  stopped,
  exit: (code) => process.exit(code),
});
// Else a log that is a full pipe, whose reader hangs, would keep the process.
if (isTold) setTimeout(() => process.exit(), UNREAD_MS).unref();
