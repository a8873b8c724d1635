/** Owns the list of servers that the service is compared with, and how each is started. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SEEDED_FILES, type SeededFile } from './seed.ts';

export const EVERY_WORKLOAD = ['create', 'create-random', 'retry', 'get', 'list', 'replace', 'mix'] as const;
export type Workload = (typeof EVERY_WORKLOAD)[number];

export interface Peer {
  readonly name: string;
  /** What it keeps of a write before it answers, in a phrase for a table. */
  readonly note: string;
  /** Whether a write that was answered outlives a loss of power. */
  readonly durable: boolean;
  /** What it can serve, with answers that are right. */
  readonly workloads: readonly Workload[];
  /** The file in its directory that `seed` writes before it is started; a server without one keeps nothing. */
  readonly file: SeededFile | undefined;
  /** How to start it, once what it needs has been written into the directory. Undefined when it is not installed. */
  command(options: PeerOptions): Command | undefined;
}

export interface PeerOptions {
  /** Its own, for its data and configuration; there already. */
  readonly directory: string;
  readonly port: number;
  /** The one bearer token that it accepts. */
  readonly token: string;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** To be added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

const ONE_COMMIT = 'one commit a write, WAL, synchronous=FULL';
const OPENAPI = fileURLToPath(new URL('../../openapi.yaml', import.meta.url));

export const PEERS: readonly Peer[] = [
  onSqlite('Express + better-sqlite3', 'express.ts', nodeWith('express')),
  onSqlite('Fastify + better-sqlite3', 'fastify.ts', nodeWith('fastify')),
  onSqlite('Hono + better-sqlite3', 'hono-node.ts', nodeWith('hono')),
  onSqlite('Hono on Bun + bun:sqlite', 'hono-bun.ts', bun),
  {
    name: 'json-server',
    note: 'the whole file rewritten soon after the answer, never synced; 201 for a create',
    durable: false,
    workloads: ['create', 'create-random', 'get', 'list', 'replace'],
    file: SEEDED_FILES.json,
    command({ directory, port, token }) {
      const entry = installed('json-server/lib/cli/bin.js');
      if (entry === undefined) return undefined;
      const data = join(directory, SEEDED_FILES.json);
      if (!existsSync(data)) writeFileSync(data, '{"plants":[]}');
      const args = [entry, data, '--host', '127.0.0.1', '--port', String(port), '--quiet'];
      args.push('--routes', server('json-server-routes.json'), '--middlewares', server('json-server-auth.cjs'));
      return { file: process.execPath, args, env: environment(token) };
    },
  },
  {
    name: 'Prism mock',
    note: "nothing: it answers with the description's examples",
    durable: false,
    workloads: ['create', 'create-random', 'get', 'list', 'replace'],
    file: undefined,
    command({ port, token }) {
      const entry = installed('@stoplight/prism-cli/dist/index.js');
      if (entry === undefined) return undefined;
      const args = [entry, 'mock', OPENAPI, '--host', '127.0.0.1', '--port', String(port)];
      // As quiet as the others: it writes a dozen lines for every request otherwise. With NODE_ENV=production it would
      // be two processes, which Prism 5.16.0 cannot start.
      args.push('--verboseLevel', 'error', '--multiprocess', 'false');
      return { file: process.execPath, args, env: environment(token) };
    },
  },
  {
    name: 'nginx, a constant',
    note: 'nothing: one constant answer to everything, the floor',
    durable: false,
    workloads: ['create', 'create-random', 'retry', 'get', 'replace', 'mix'],
    file: undefined,
    command({ directory, port }) {
      const file = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(
        existsSync,
      );
      if (file === undefined) return undefined;
      const template = readFileSync(server('nginx.conf'), 'utf8');
      writeFileSync(join(directory, 'nginx.conf'), template.replace('127.0.0.1:PORT', `127.0.0.1:${port}`));
      return { file, args: ['-p', directory, '-c', 'nginx.conf', '-e', 'stderr'], env: {} };
    },
  },
];

/** A server of this directory that keeps plants in SQLite. */
function onSqlite(name: string, main: string, runtime: () => string | undefined): Peer {
  return {
    name,
    note: ONE_COMMIT,
    durable: true,
    workloads: EVERY_WORKLOAD,
    file: SEEDED_FILES.sqlite,
    command({ directory, port, token }) {
      const file = runtime();
      if (file === undefined) return undefined;
      const env = { ...environment(token), PORT: String(port), DATABASE: join(directory, SEEDED_FILES.sqlite) };
      return { file, args: [server(main)], env };
    },
  };
}

function nodeWith(framework: string): () => string | undefined {
  return () =>
    installed(`${framework}/package.json`) && installed('better-sqlite3/package.json') ? process.execPath : undefined;
}

function bun(): string | undefined {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const processor = process.arch === 'arm64' ? 'aarch64' : process.arch;
  return installed('hono/package.json') && installed(`@oven/bun-${system}-${processor}/bin/bun`);
}

/** The path of a file of a package of the benchmark's own; undefined when `npm ci --prefix bench` has not been run. */
function installed(file: string): string | undefined {
  const path = fileURLToPath(new URL(`../node_modules/${file}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}

function server(file: string): string {
  return fileURLToPath(new URL(`./servers/${file}`, import.meta.url));
}

function environment(token: string): Record<string, string> {
  return { PLANTSTORE_TOKEN: token, NODE_ENV: 'production' };
}
