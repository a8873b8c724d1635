/** The entry: the process's arguments, environment, streams and signals, and nothing else. */
import { enableCompileCache } from 'node:module';

// Compiled code is kept beside the packages, not in the shared temporary folder, where others could write it. Where
// that cannot be written, Node goes on without a cache and starts some 100 ms later.
enableCompileCache(new URL('../node_modules/.cache/plant-store', import.meta.url).pathname);
const { run } = await import('./cli/run.ts');

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
