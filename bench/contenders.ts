/** Owns who is compared: nginx's constant, this project's own from the barest server to the whole service, the peers. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, EVERY_WORKLOAD, PEERS, type Peer, type PeerOptions } from './peers/index.ts';

export interface Contender extends Peer {
  /** Whether it holds every id of int64 exactly. */
  readonly int64: boolean;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const START = readFileSync(join(ROOT, 'bin/plantstore'), 'utf8').trimEnd().split('\n').at(-1) ?? '';
const MAIN = '"$root/src/main.ts" "$@"';
const DATABASE = 'plants.db';

/** The service as `npm start` runs it: its flags of Node, its logs and limits. */
export const PLANT_STORE: Contender = {
  name: 'Plant Store',
  note: 'every write is on the disk before its answer; writes at the same time share a commit',
  durable: true,
  int64: true,
  workloads: EVERY_WORKLOAD,
  file: DATABASE,
  command: (options) => asStarted('src/main.ts serve', options, service(options)),
};

/** The service as shipped on a database elsewhere. */
export function plantStoreOn(name: string, database: string): Pick<Contender, 'name' | 'command'> {
  const args = ['--database', database, '--port'];
  return { name, command: (options) => asStarted('src/main.ts serve', options, [...args, String(options.port)]) };
}

/** The same pipeline with a store that keeps nothing. */
export const WITHOUT_STORE: Contender = {
  name: 'pipeline without a store',
  note: 'nothing: all but the store, which answers with constants',
  durable: false,
  int64: true,
  workloads: EVERY_WORKLOAD,
  file: undefined,
  command: (options) => asStarted('bench/without-store.ts', options),
};

/** Only what Node itself does, at its defaults: what the pipeline is measured against. */
export const BARE_NODE: Contender = {
  name: 'bare node:http',
  note: 'nothing: checks a token, parses and echoes',
  durable: false,
  int64: true,
  workloads: ['create', 'create-random'],
  file: undefined,
  command({ port, token }) {
    const env = { PLANTSTORE_TOKEN: token, PORT: String(port) };
    return { file: process.execPath, args: [join(ROOT, 'bench/bare-node.ts')], env };
  },
};

/** The single executable, which a run that starts it builds anew. */
export const EXECUTABLE: Contender = {
  ...PLANT_STORE,
  name: 'Plant Store, single executable',
  command(options) {
    const args = ['serve', ...service(options)];
    return { file: join(ROOT, 'dist/plantstore'), args, env: { PLANTSTORE_TOKEN: options.token } };
  },
};

const peers = PEERS.map((peer): Contender => ({ ...peer, int64: false }));
export const NGINX = peers.find(({ name }) => name.startsWith('nginx')) as Contender;

/** Neighbours are measured one after the other: those whose ratios matter most stand together. */
export const CONTENDERS: readonly Contender[] = [
  { ...NGINX, int64: true },
  BARE_NODE,
  WITHOUT_STORE,
  PLANT_STORE,
  ...peers.filter((peer) => peer !== NGINX),
];

/** What a contender is called on the command line. */
export function slugOf({ name }: Contender): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** Whether it can be started here. */
export function isInstalled(contender: Contender): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'plantstore-bench-'));
  const command = contender.command({ directory, port: 1, token: 'none' });
  rmSync(directory, { recursive: true });
  return command !== undefined;
}

function service({ directory, port }: PeerOptions): readonly string[] {
  return ['--port', String(port), '--database', `sqlite:${join(directory, DATABASE)}`];
}

/** How bin/plantstore starts Node, with another program: the service with a store and without run alike. */
function asStarted(program: string, { port, token }: PeerOptions, args: readonly string[] = []): Command {
  const script = START.replace(MAIN, program);
  if (script === START) throw new Error(`how bin/plantstore starts Node has changed: ${START}`);
  return {
    file: '/bin/sh',
    args: ['-c', `cd "$root" && ${script} "$@"`, 'sh', ...args],
    env: {
      PLANTSTORE_TOKEN: token,
      PORT: String(port),
      NODE_COMPILE_CACHE: 'node_modules/.cache/plant-store',
      root: ROOT,
      node: process.execPath,
    },
  };
}
