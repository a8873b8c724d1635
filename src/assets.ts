/** Files that the code reads: below this folder, also in the npm package, or inside the single executable. */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * The paths, below this folder, of the files that are read at run time. scripts/build.ts puts them into the executable.
 */
export const ASSETS = [
  'description/openapi.served-3.0.json',
  'description/openapi.served.json',
  'description/openapi.served.yaml',
  'docs/early.js',
  'docs/favicon.ico',
  'docs/guide.gen.json',
  'docs/guide.js',
  'docs/page.css',
  'docs/reference-page.js',
  'docs/reference.js.br',
  'plants/garden.json',
  'sandbox/panel.css',
  'sandbox/panel.html',
  'sandbox/panel.js',
  'sandbox/sandbox.served.json',
  'sandbox/sandbox.served.yaml',
] as const;
export type Asset = (typeof ASSETS)[number];

/** Code that runs in separate threads. The executable and the package contain each as one bundled script. */
export const THREADS = ['stores/sqlite/writer-thread.ts'] as const;
type Thread = (typeof THREADS)[number];

export function readAsset(name: Asset): Buffer {
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
