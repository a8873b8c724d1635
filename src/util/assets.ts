/** Reads files of `src` and `contract`: in a clone, in the npm package, or inside the single executable. */
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { brotliDecompressSync } from 'node:zlib';
import { requireGrant } from './system-error.ts';

/** Code that runs in separate threads. The executable and the package contain each as one bundled script. */
export const THREADS = ['stores/sqlite/writer-thread.ts'] as const;
type Thread = (typeof THREADS)[number];

/** The bytes of a file, by its path from src. The npm package has some files only compressed by Brotli. */
export function readAsset(name: string): Buffer {
  if (isSea()) return Buffer.from(getAsset(name));
  const path = beside(name);
  return existsSync(path) ? readFileSync(path) : brotliDecompressSync(readFileSync(beside(`${name}.br`)));
}

export function startThread(name: Thread, options: WorkerOptions): Worker {
  requireGrant('worker');
  // Inside an executable, a thread cannot be started from a file.
  if (isSea()) return new Worker(getAsset(name, 'utf8'), { ...options, eval: true });
  // In the package this file and the thread are JavaScript.
  const type = extname(import.meta.url);
  const file = beside(name.replace(/\.ts$/, type));
  // By default a thread inherits the flags of the process. It would load the module of --import or --require again, and
  // if that module starts a service, threads would start threads without end. With --input-type, Node starts no file.
  // NODE_OPTIONS remains: Yarn's Plug'n'Play needs it to read the file from an archive.
  const execArgv = type === '.ts' ? ['--strip-types'] : [];
  if (process.permission === undefined) return new Worker(file, { ...options, execArgv });
  // A thread without the flags of the permission model would be free of it.
  return new Worker(`import(${JSON.stringify(file)})`, { ...options, eval: true });
}

function beside(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}
