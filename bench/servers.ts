/** Owns a server that runs: how it is started, how long that takes, what it costs, how it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Peer } from './peers/index.ts';
import { type Cpu, cpuOf, peakMemoryOf, residentMemoryOf } from './process-tree.ts';

export interface Server {
  readonly url: string;
  /** Milliseconds from the start of the process to its first answer with 200. */
  readonly readyAfter: number;
  cpu(): Cpu;
  /** MB. */
  peakMemory(): number;
  /** MB. */
  residentMemory(): number;
  stop(): Promise<void>;
}

export const TOKEN = 'bench-token-0123456789';
const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Starts a server on what is in the directory, and waits for its first answer. */
export async function start(
  peer: Pick<Peer, 'name' | 'command'>,
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const port = await freePort();
  const command = peer.command({ directory, port, token: TOKEN });
  if (command === undefined) throw new Error(`${peer.name} is not installed`);
  const logFile = join(directory, 'log');
  const log = openSync(logFile, 'a');
  const began = performance.now();
  const child = spawn(command.file, command.args, {
    env: { ...process.env, ...command.env, ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  running.add(child);
  const ended = once(child, 'exit').finally(() => running.delete(child));
  const url = `http://127.0.0.1:${port}`;
  try {
    await Promise.race([firstAnswer(url), ended]);
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('it ended');
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${peer.name} did not start:\n${readFileSync(logFile, 'utf8')}`, { cause: error });
  }
  const pid = child.pid as number;
  return {
    url,
    readyAfter: performance.now() - began,
    cpu: () => cpuOf(pid),
    peakMemory: () => peakMemoryOf(pid),
    residentMemory: () => residentMemoryOf(pid),
    async stop() {
      child.kill('SIGTERM');
      const stopped = await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      if (stopped !== undefined) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function firstAnswer(url: string): Promise<void> {
  const until = performance.now() + START_WITHIN_MS;
  while ((await statusOf(url)) !== 200) {
    if (performance.now() > until) throw new Error('it did not answer');
    await sleep(1);
  }
}

/** Undefined while nobody listens. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    get(`${url}/plants?limit=1`, { headers, agent: false }, (answer) => {
      answer.resume().once('close', () => resolve(answer.statusCode));
    }).once('error', () => resolve(undefined));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
