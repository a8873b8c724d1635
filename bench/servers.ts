/** Owns starting the servers that are compared, each in a process of its own, on a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Server {
  readonly name: string;
  readonly url: string;
  /** User and system time of the whole process so far, threads and children included, in microseconds. */
  cpu(): number;
  /** The most memory that the process held, in MiB. */
  peakMemory(): number;
  stop(): Promise<void>;
}

export const TOKEN = 'bench-token-0123456789';
const ROOT = new URL('..', import.meta.url).pathname;
/** Linux counts process times in ticks of 10 ms. */
const TICK_US = 10_000;

/** Plant Store as shipped, on a new file; logs and limits at their defaults. */
export function plantStore(): Promise<Server> {
  const directory = mkdtempSync(join(tmpdir(), 'plantstore-bench-'));
  const database = `sqlite:${join(directory, 'plants.db')}`;
  return start('Plant Store', [`${ROOT}src/main.ts`, 'serve', '--port', '0', '--database', database], directory);
}

/** Plant Store as shipped, on a database that is there. */
export function plantStoreOn(name: string, database: string): Promise<Server> {
  return start(name, [`${ROOT}src/main.ts`, 'serve', '--port', '0', '--database', database]);
}

/** The same pipeline with a store that keeps nothing. */
export function withoutStore(): Promise<Server> {
  return start('pipeline without a store', [`${ROOT}bench/without-store.ts`]);
}

/** A bare node:http server that checks a token, parses and echoes: what the pipeline is measured against. */
export function bareNode(): Promise<Server> {
  return start('bare node:http', [`${ROOT}bench/bare-node.ts`]);
}

async function start(name: string, args: readonly string[], directory?: string): Promise<Server> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PLANTSTORE_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyAt(child);
  return {
    name,
    url,
    cpu: () => cpuOf(child.pid as number),
    peakMemory: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function readyAt(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of child.stdout ?? []) {
    said += chunk;
    const url = /ready at (http\S+)/.exec(said)?.[1];
    if (url !== undefined) {
      child.stdout?.resume();
      return url;
    }
  }
  throw new Error(`the server ended: ${said}`);
}

function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}
