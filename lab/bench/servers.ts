/** Starts, measures and stops the servers that are compared. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuOf, memoryOf, peakMemoryOf } from './cost.ts';
import { killAtExit } from './kill-at-exit.ts';
import { TOKEN } from './wrk.ts';

export interface Contender {
  readonly name: string;
  /** What the server has kept of a write when it responds. A phrase for a table. */
  readonly note: string;
  /** Whether lists are measured. */
  readonly lists?: true;
  /** Whether its responses must be those of Plant Store. */
  readonly doesSameWork?: true;
  /** What to do if it is not installed. */
  readonly install: string;
  /** The command that starts the server, or undefined if it is not installed. `directory` is for this server only. */
  command(directory: string, port: number): Command | undefined;
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Brings the peers. */
const NPM_CI = 'run npm ci --prefix lab/bench';
const OPENAPI = join(ROOT, 'contract/openapi.yaml');

/** The service of a checkout, started as users start it, with optional further options. */
export function plantStore(root: string, database?: string, more: readonly string[] = []): Contender {
  return {
    name: 'Plant Store',
    note: 'every write, on the disk before its response; concurrent writes share a commit',
    lists: true,
    install: 'run npm ci',
    command(directory, port) {
      const url = database ?? `sqlite:${join(directory, 'plants.db')}`;
      return {
        file: join(root, 'bin/plantstore'),
        args: ['serve', '--port', String(port), '--database', url, ...more],
      };
    },
  };
}

/** What `--ratios` compares: the floors, and what one would write on Node. */
export const ON_NODE = [
  'nginx, a constant',
  'bare node:http',
  'Plant Store',
  'Fastify + better-sqlite3',
  'Hono + better-sqlite3',
];

export const CONTENDERS: readonly Contender[] = [
  {
    name: 'nginx, a constant',
    note: 'nothing: one constant response to every request, the floor',
    lists: true,
    install: 'install the package nginx, for example with apt-get install nginx',
    command(directory, port) {
      const file = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find(existsSync);
      const template = readFileSync(server('nginx.conf'), 'utf8');
      writeFileSync(join(directory, 'nginx.conf'), template.replace('127.0.0.1:PORT', `127.0.0.1:${port}`));
      return file === undefined ? undefined : { file, args: ['-p', directory, '-c', 'nginx.conf', '-e', 'stderr'] };
    },
  },
  {
    name: 'bare node:http',
    note: 'nothing: checks a token, parses the body and echoes it',
    install: 'run npm ci',
    command: () => ({ file: process.execPath, args: [join(ROOT, 'lab/bench/bare-node.ts')] }),
  },
  plantStore(ROOT),
  onSqlite('Express + better-sqlite3', 'express.ts', nodeWith('express')),
  onSqlite('Fastify + better-sqlite3', 'fastify.ts', nodeWith('fastify')),
  onSqlite('Hono + better-sqlite3', 'hono-node.ts', nodeWith('hono')),
  onSqlite('Hono on Bun + bun:sqlite', 'hono-bun.ts', () => installed(`@oven/bun-${platform()}/bin/bun`)),
  {
    name: 'json-server',
    note: 'every write, in a file rewritten soon after the response and never synced; a create gets 201',
    install: NPM_CI,
    command(directory, port) {
      const entry = installed('json-server/lib/cli/bin.js');
      const data = join(directory, 'plants.json');
      writeFileSync(data, '{"plants":[]}');
      const args = [data, '--host', '127.0.0.1', '--port', String(port), '--quiet'];
      args.push('--routes', server('json-server-routes.json'), '--middlewares', server('json-server-auth.cjs'));
      return entry === undefined ? undefined : { file: process.execPath, args: [entry, ...args] };
    },
  },
  {
    name: 'Prism mock',
    note: "nothing: it responds with the description's examples",
    install: NPM_CI,
    command(_directory, port) {
      const entry = installed('@stoplight/prism-cli/dist/index.js');
      const args = ['mock', OPENAPI, '--host', '127.0.0.1', '--port', String(port)];
      // As quiet as the others. NODE_ENV=production would mean two processes, which Prism 5.16.0 cannot start.
      args.push('--verboseLevel', 'error', '--multiprocess', 'false');
      return entry === undefined ? undefined : { file: process.execPath, args: [entry, ...args] };
    },
  },
];

function onSqlite(name: string, main: string, runtime: () => string | undefined): Contender {
  return {
    name,
    note: 'every write, with one commit per write, WAL, synchronous=FULL',
    lists: true,
    doesSameWork: true,
    install: NPM_CI,
    command(directory) {
      const file = runtime();
      return file === undefined
        ? undefined
        : { file, args: [server(main)], env: { DATABASE: join(directory, 'plants.db') } };
    },
  };
}

function nodeWith(framework: string): () => string | undefined {
  return () => (installed(`${framework}/package.json`) === undefined ? undefined : process.execPath);
}

function platform(): string {
  return `${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
}

/** The path of a file in a package of the benchmark; undefined if `npm ci --prefix lab/bench` was not run. */
function installed(file: string): string | undefined {
  const path = join(ROOT, 'lab/bench/node_modules', file);
  return existsSync(path) ? path : undefined;
}

function server(file: string): string {
  return join(ROOT, 'lab/bench/peers/servers', file);
}

export interface Server {
  readonly url: string;
  /** Milliseconds from the start of the process to its first response with 200. */
  readonly readyAfter: number;
  /** Microseconds of CPU time so far. */
  cpu(): number;
  /** Memory in MB, now and at its peak. */
  memory(): number;
  peakMemory(): number;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export class NotInstalled extends Error {}

const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

/** Starts a server in the directory, and waits for its first response. Throws NotInstalled if it is not installed. */
export async function start(contender: Contender, directory: string): Promise<Server> {
  const port = await freePort();
  const command = contender.command(directory, port);
  if (command === undefined) throw new NotInstalled(`${contender.name} is not installed: ${contender.install}`);
  const logFile = join(directory, 'log');
  const log = openSync(logFile, 'a');
  const began = performance.now();
  const child = spawn(command.file, command.args, {
    env: { ...process.env, PLANTSTORE_TOKEN: TOKEN, PORT: String(port), NODE_ENV: 'production', ...command.env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  killAtExit(child);
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([firstResponse(url), ended]);
  if (child.exitCode !== null || child.signalCode !== null) {
    throw new Error(`${contender.name} did not start:\n${readFileSync(logFile, 'utf8')}`);
  }
  const pid = child.pid as number;
  return {
    url,
    readyAfter: performance.now() - began,
    cpu: () => cpuOf(pid),
    memory: () => memoryOf(pid),
    peakMemory: () => peakMemoryOf(pid),
    signal: (name) => child.kill(name),
    async stop() {
      child.kill('SIGTERM');
      const stopped = await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      if (stopped === undefined) child.kill('SIGKILL');
      await ended;
    },
  };
}

async function firstResponse(url: string): Promise<void> {
  const until = performance.now() + START_WITHIN_MS;
  while ((await statusOf(url)) !== 200) {
    if (performance.now() > until) throw new Error('it did not respond');
    await sleep(1);
  }
}

/** Returns the status, or undefined while nothing listens. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    get(`${url}/plants?limit=1`, { headers, agent: false }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode));
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
