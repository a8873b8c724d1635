/** The entry: the process's arguments, environment, streams and signals, and nothing else. */
import { run } from './cli/run.ts';

const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
});

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  stopped,
});
