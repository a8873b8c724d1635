/**
 * Uses the service while strace records it: `node workload.ts ROOT HISTORY SEED REQUESTS`. It mounts a small file
 * system at ROOT, and writes a History to the file HISTORY. Before each phase it writes the name of the phase to
 * ROOT/marks.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  fsyncSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { generateToken } from '../../../src/auth/token.ts';
import { createRandom } from '../../../src/util/random.ts';
import { type Client, createClient, toJson } from '../../../test/harness/client.ts';
import { runCommand, serveProcess } from '../../../test/harness/process.ts';
import { scatteredId } from '../../../test/harness/scattered.ts';
import { environmentOf } from '../control.ts';
import { contentOf, contentsOf } from '../history.ts';
import { createLoad } from '../writing-clients.ts';
import type { History } from './states.ts';

const [root = '', historyFile = '', seed = '', requests = ''] = process.argv.slice(2);
const WRITERS = 12;
/** The most requests of a writer in a phase that takes its time. */
const MOST = 400;
const IMPORTED = 1_500;
const RESETS = 10;

const random = createRandom(Number(seed));
const at = (name: string) => join(root, name);
const mark = (phase: string) => appendFileSync(at('marks'), `${phase}\n`);
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', root]);

const token = generateToken();

const env = { PLANTSTORE_TOKEN: token, ...environmentOf(process.env['PROOF_CONTROL']) };
// The folder does not exist yet, as in a new working directory.
const DATABASE = ['--database', `sqlite:${at('data/plants.db')}`];
const start = () => serveProcess([...DATABASE, '--sandboxes', '5', '--events', '--log-level', 'fatal'], env);
const command = async (...args: readonly string[]) => {
  const { code, stderr } = await runCommand(args, env);
  if (code !== 0) throw new Error(`${args[0]}: exit ${code}: ${stderr}`);
};

let service = await start();
let client = createClient(service.url, token);
const load = createLoad(random);

/** Writes one plant. Whether that was confirmed. */
async function writeOne(): Promise<boolean> {
  const status = await load.writeOne(client);
  return status === 200 || status === 204;
}

/** Runs work under load, until both have done enough. A writer ends early if its request is not confirmed. */
async function phase(name: string, work: () => Promise<void> = async () => {}): Promise<void> {
  mark(name);
  let isDone = false;
  const least = Number(requests) / WRITERS;
  const writers = Array.from({ length: WRITERS }, async () => {
    for (let sent = 0; sent < least || (!isDone && sent < MOST); sent++) if (!(await writeOne())) break;
  });
  await work();
  isDone = true;
  await Promise.all(writers);
}

async function makeSandbox(client: Client) {
  const made = await client.send('POST', '/sandboxes', { token: null, body: { plants: 'garden' } });
  const { id, token } = made.json() as { id: string; token: string };
  const own = createClient(client.url, token);
  const list = await own.send('GET', '/plants?limit=1000');
  const garden = (list.json() as { id: number; name: string; tag?: string }[]).map(
    (plant) => [String(plant.id), contentOf(plant)] as const,
  );
  return { id, own, garden, states: [['sandbox', contentsOf(garden)]] as [string, string][] };
}

const sandbox = await makeSandbox(client);

async function resets(): Promise<void> {
  const send = async (operation: string, content: string, target: string, body?: object) => {
    sandbox.states.push([operation, content]);
    await sandbox.own.send('POST', target, { body, headers: { 'X-Request-Id': operation } });
  };
  for (let i = 0; i < RESETS; i++) {
    const plant = { name: `Mine ${i}` };
    const added = contentsOf([...sandbox.garden, [String(-1 - i), contentOf(plant)]]);
    mark('between resets');
    await send(`sandbox-create-${i}`, added, '/plants', { id: -1 - i, ...plant });
    mark('resets');
    await send(`sandbox-reset-${i}`, contentsOf(sandbox.garden), '/sandbox/reset');
  }
}

async function importPlants(): Promise<void> {
  const file = `${historyFile}.ndjson`;
  // Random ids change many pages in one transaction.
  const imported = Array.from({ length: IMPORTED }, (_, i) => ({
    id: scatteredId(1_000_000 + i),
    name: `Imported ${i}`,
  }));
  load.add('import', imported);
  writeFileSync(file, imported.map((plant) => `${toJson(plant)}\n`).join(''));
  await command('import', file, ...DATABASE);
}

/** Leaves little space on the disk. The allocation is no write, so the trace does not contain it. */
function allocateRest(): boolean {
  const { bavail, bsize } = statfsSync(root);
  const { status, error } = spawnSync('fallocate', ['-l', String((bavail - 20) * bsize), at('filler')]);
  if (error !== undefined) throw error;
  return status === 0;
}

async function fillDisk(): Promise<void> {
  // The service may have used the space before it is allocated.
  while (!allocateRest()) rmSync(at('filler'), { force: true });
  let refused = 0;
  while (refused < 10) if (!(await writeOne())) refused++;
  rmSync(at('filler'));
}

async function restart(): Promise<void> {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await service.stop(signal);
    client.close();
    service = await start();
    client = createClient(service.url, token);
    await Promise.all(Array.from({ length: 3 * WRITERS }, () => writeOne()));
  }
}

/** Writes databases of each format since 1.0.0 to stable storage. */
function writeOldDatabases(): readonly string[] {
  mkdirSync(at('old'));
  const files = globSync(`${import.meta.dirname}/../upgrade/fixtures/*.db.gz`).sort();
  const paths = files.map((file) => {
    const path = at(`old/${basename(file, '.gz')}`);
    writeFileSync(path, gunzipSync(readFileSync(file)), { flush: true });
    return path;
  });
  for (const folder of [at('old'), root]) fsyncSync(openSync(folder, 'r'));
  return paths;
}

try {
  await phase('requests');
  await phase('an import', importPlants);
  await phase('resets', resets);
  await phase('a backup', () => command('backup', at('copy.db'), ...DATABASE));
  await phase('an export', () => command('export', at('copy.ndjson'), ...DATABASE));
  await phase('a full disk', fillDisk);
  await phase('restarts', restart);
  const old = writeOldDatabases();
  mark('migrations');
  for (const path of old) await command('token', 'create', '--database', `sqlite:${path}`);
  mark('end');
} finally {
  // strace waits for the service too.
  await service.stop('SIGTERM');
}
const history: History = { plants: load.plants, sandbox: { id: sandbox.id, states: sandbox.states } };
writeFileSync(historyFile, JSON.stringify(history));
process.exit();
