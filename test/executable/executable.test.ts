/** The executable of `npm run build`, copied into an empty directory, with an empty PATH. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { createClient } from '../harness/client.ts';
import { outgrowLog } from '../harness/long-log.ts';
import { startPostgres } from '../harness/postgres.ts';
import { runCommand, serveProcess } from '../harness/process.ts';

const NAME = process.platform === 'win32' ? 'plantstore.exe' : 'plantstore';
const BUILT = fileURLToPath(new URL(`../../dist/${NAME}`, import.meta.url));
const MAX = 2n ** 63n - 1n;

const directory = mkdtempSync(join(tmpdir(), 'plantstore-executable-'));
const program = { command: [join(directory, NAME)] as const, cwd: directory };
const env = { PATH: '', NODE_PATH: '' };
const command = (...args: string[]) => runCommand(args, env, program);

copyFileSync(BUILT, program.command[0]);
let service = await serveProcess([], env, program);
let client = createClient(service.url, service.token ?? 'none');

after(async () => {
  client.close();
  await service.stop('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
});

test('the executable stores a plant, and writes only its data below the working directory', async () => {
  const stored = await client.send('POST', '/plants', { body: { id: MAX, name: 'Aloe', tag: 'succulent' } });
  assert.equal(stored.status, 200, stored.text);
  assert.deepEqual(readdirSync(directory).sort(), ['data', NAME]);
  assert.deepEqual(readdirSync(join(directory, 'data')).sort(), ['plants.db', 'plants.db-shm', 'plants.db-wal']);
});

test('the executable has no symbols of Node, where the machine has the program that removes them', (context) => {
  if (spawnSync('strip', ['--version']).status !== 0) return context.diagnostic('this machine has no strip');
  assert.ok(statSync(BUILT).size < 0.9 * statSync(process.execPath).size);
});

test('the executable serves the description, the workflows, and the page with its scripts and styles', async () => {
  for (const path of ['/openapi.json', '/openapi.yaml', '/openapi-3.0.json', '/arazzo.yaml']) {
    assert.equal((await client.send('GET', path, { token: null })).status, 200, path);
  }
  const page = await client.send('GET', '/', { token: null });
  assert.equal(page.status, 200);
  const named = [...page.text.matchAll(/(?:src|href)="\.(\/docs\/[^"]+)"/g)].map(([, path]) => path ?? '');
  assert.ok(named.length >= 4, named.join(' '));
  for (const path of named) {
    const asset = await fetch(service.url + path);
    assert.equal(asset.status, 200, path);
    assert.ok((await asset.arrayBuffer()).byteLength > 0, path);
  }
  const reference = named.find((path) => path.startsWith('/docs/reference.')) ?? '';
  const kept = readFileSync(new URL('../../src/page/reference.js.br', import.meta.url));
  assert.equal(await (await fetch(service.url + reference)).text(), brotliDecompressSync(kept).toString('utf8'));
  const guide = /href="\.?(\/guide\/[^"]+)"/.exec(page.text)?.[1] ?? '/guide/';
  assert.equal((await client.send('GET', guide, { token: null })).status, 200, guide);
});

test('the executable creates tokens, imports and exports while the service runs', async () => {
  const made = await command('token', 'create', '--name', 'reader', '--scope', 'plants:read');
  assert.equal(made.code, 0, made.stderr);
  writeFileSync(join(directory, 'plants.ndjson'), `{"id":${-MAX},"name":"Agave"}\n{"id":7,"name":"Fern","tag":""}\n`);
  const imported = await command('import', 'plants.ndjson');
  assert.equal(imported.code, 0, imported.stderr);
  const exported = await command('export');
  assert.equal(exported.code, 0, exported.stderr);
  const lines = [
    `{"id":${-MAX},"name":"Agave"}`,
    '{"id":7,"name":"Fern","tag":""}',
    `{"id":${MAX},"name":"Aloe","tag":"succulent"}`,
  ];
  assert.deepEqual(exported.stdout.trim().split('\n'), lines);
  // A running service notices a token within a second.
  const deadline = Date.now() + 3_000;
  let read = await client.send('GET', '/plants/7', { token: made.stdout.trim() });
  while (read.status === 401 && Date.now() < deadline) {
    await sleep(100);
    read = await client.send('GET', '/plants/7', { token: made.stdout.trim() });
  }
  assert.deepEqual(read.json(), { id: 7, name: 'Fern', tag: '' });
});

test('the executable contains the parts that are loaded on demand: metrics, rate limits and JWTs', async () => {
  const issuer = ['--jwt-issuer', 'https://issuer.invalid', '--jwt-audience', 'plants', '--rate-limit', '1000/s'];
  const other = await serveProcess(
    ['--database', 'sqlite:other.db', '--admin', '127.0.0.1:0', ...issuer],
    env,
    program,
  );
  try {
    // The line may arrive a moment later, and follow the line about the unknown issuer.
    const admin = () => /"admin":"([^"]+)"/.exec(other.stderr())?.[1];
    while (admin() === undefined) await sleep(10);
    const metrics = await (await fetch(`${admin()}/metrics`)).text();
    assert.match(metrics, /^plantstore_commit_queue_writes 0$/m);
    const response = await fetch(`${other.url}/openapi.yaml`);
    assert.match(await response.text(), /^openapi: "?3\.1/m);
  } finally {
    assert.equal(await other.stop('SIGTERM'), 0);
  }
});

test('the executable contains its threads: a checkpoint runs beside writes', async () => {
  const other = await serveProcess(['--database', 'sqlite:long.db'], env, program);
  const client = createClient(other.url, other.token ?? 'none');
  try {
    await outgrowLog(client, join(directory, 'long.db'));
  } finally {
    client.close();
    assert.equal(await other.stop('SIGTERM'), 0);
  }
});

test('the executable opens no debugger on SIGUSR1', async () => {
  const other = await serveProcess(['--demo', '--log-level', 'error'], env, program);
  other.child.kill('SIGUSR1');
  for (let count = 0; count < 2; count++) assert.equal((await fetch(`${other.url}/readyz`)).status, 200);
  assert.equal(await other.stop('SIGTERM'), 0);
  assert.equal(other.stderr(), '');
});

test('the executable serves from PostgreSQL', async () => {
  const server = await startPostgres();
  try {
    const shared = await serveProcess(['--database', server.url], env, program);
    const client = createClient(shared.url, shared.token ?? 'none');
    assert.equal((await client.send('POST', '/plants', { body: { id: MAX, name: 'Aloe' } })).status, 200);
    assert.deepEqual((await client.send('GET', '/plants')).json(), [{ id: MAX, name: 'Aloe' }]);
    client.close();
    assert.equal(await shared.stop('SIGTERM'), 0);
  } finally {
    await server.remove();
  }
});

test('the executable drains on SIGTERM and exits with 0, and plants survive a restart and a kill', async () => {
  const token = service.token ?? 'none';
  for (const [signal, code] of [
    ['SIGTERM', 0],
    ['SIGKILL', null],
  ] as const) {
    assert.equal(await service.stop(signal), code);
    client.close();
    service = await serveProcess([], env, program);
    client = createClient(service.url, token);
    assert.equal(service.token, undefined, 'a token is shown only at the first start');
    const read = await client.send('GET', `/plants/${MAX}`);
    assert.deepEqual(read.json(), { id: MAX, name: 'Aloe', tag: 'succulent' });
  }
  assert.equal((await command('check')).code, 0);
});
