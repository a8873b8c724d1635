/** Files that the code reads: below this folder, also in the npm package, or inside the single executable. */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Code that runs in separate threads. The executable and the package contain each as one bundled script. */
export const THREADS = ['stores/sqlite/writer-thread.ts'] as const;
type Thread = (typeof THREADS)[number];

/** The bytes of a file, by its path below this folder. */
export function readAsset(name: string): Buffer {
  return isSea() ? Buffer.from(getAsset(name)) : readFileSync(beside(name));
}

export function startThread(name: Thread, options: WorkerOptions): Worker {
  // Inside an executable, a thread cannot be started from a file.
  if (isSea()) return new Worker(getAsset(name, 'utf8'), { ...options, eval: true });
  // In the package this file and the thread are JavaScript.
  return new Worker(beside(name.replace(/\.ts$/, extname(import.meta.url))), options);
}

function beside(path: string): URL {
  return new URL(path, import.meta.url);
}
