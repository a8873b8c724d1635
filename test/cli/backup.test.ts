import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { refusedWith, runCommand, runHere, serveProcess } from '../harness/process.ts';

test('a backup under full write load contains every plant that was confirmed before it began', async () => {
  using directory = createDirectory();
  const database = `sqlite:${directory.at('plants.db')}`;
  const copy = directory.at('copy.db');
  const service = await serveProcess(['--database', database]);
  const client = createClient(service.url, service.token ?? '');
  let next = 0;
  let stop = false;
  const confirmed: number[] = [];
  const writers = Array.from({ length: 32 }, async () => {
    while (!stop) {
      const id = next++;
      const response = await client.send('POST', '/plants', { body: { id, name: `Plant ${id}` } });
      assert.equal(response.status, 200);
      confirmed.push(id);
    }
  });
  while (confirmed.length < 2_000) await sleep(5);
  const before = [...confirmed];
  // In another process, since in this one the writers would wait for the backup.
  const backup = await runCommand(['backup', copy, '--database', database]);
  assert.equal(backup.stderr, '');
  assert.equal(backup.code, 0);
  assert.ok(confirmed.length > before.length, 'no plant was created while the backup ran');
  stop = true;
  await Promise.all(writers);
  client.close();
  assert.equal(await service.stop('SIGTERM'), 0);
  assert.equal((await runHere(['check', '--database', `sqlite:${copy}`])).code, 0);
  const { stdout } = await runHere(['export', '--database', `sqlite:${copy}`]);
  const kept = new Set(stdout.split('\n'));
  for (const id of before) assert.ok(kept.has(`{"id":${id},"name":"Plant ${id}"}`), `plant ${id} is missing`);
  // The copy contains the token of the store, so the service can start with it.
  const restored = await serveProcess(['--database', `sqlite:${copy}`]);
  const reader = createClient(restored.url, service.token ?? '');
  assert.equal((await reader.send('GET', `/plants/${before[0]}`)).status, 200);
  reader.close();
  assert.equal(await restored.stop('SIGTERM'), 0);
});

test('a backup overwrites a file only with --force, and leaves nothing behind if it fails', async () => {
  using directory = createDirectory();
  const database = `sqlite:${directory.at('plants.db')}`;
  assert.equal((await runHere(['backup', directory.at('x.db'), '--database', database])).code, 1);
  assert.deepEqual(fs.readdirSync(directory.path), []);
  await runHere(['import', '-', '--database', database]);
  const there = directory.at('there');
  fs.writeFileSync(there, 'kept');
  const refused = await runHere(['backup', there, '--database', database]);
  refusedWith(refused, 1, /there already exists and was not changed; --force replaces it\n$/);
  assert.equal((await runHere(['backup', there, '--force', '--database', database])).code, 0);
  assert.equal((await runHere(['check', '--database', `sqlite:${there}`])).code, 0);
  const itself = await runHere(['backup', directory.at('plants.db'), '--force', '--database', database]);
  refusedWith(itself, 1, /plants\.db is a database in use and was not changed\n$/);
  const link = directory.at('link');
  fs.symlinkSync(directory.at('absent.db'), link);
  const dangling = await runHere(['backup', link, '--database', database]);
  refusedWith(dangling, 1, /link already exists and was not changed; choose another name\n$/);
  assert.equal(fs.existsSync(directory.at('absent.db')), false);
  const nowhere = await runHere(['backup', directory.at('absent/x.db'), '--database', database]);
  refusedWith(nowhere, 1, /: cannot write \S+absent\/x\.db: no such folder: \S+absent; create it first\n$/);
  assert.equal(fs.existsSync(directory.at('absent')), false);
  assert.ok(!fs.readdirSync(directory.path).some((name) => name.includes('partial')));
  assert.equal((await runHere(['backup', '--database', database])).code, 2);
});

test('every command refuses a file beside the log of another file, and keeps that log', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const copy = directory.at('copy.db');
  const database = ['--database', `sqlite:${path}`];
  const service = await serveProcess(database);
  const client = createClient(service.url, service.token ?? '');
  const replace = (name: string) => client.send('PUT', '/plants/1', { body: { name } });
  assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 200);
  assert.equal((await runHere(['backup', copy, ...database])).code, 0);
  assert.equal((await replace('Fern')).status, 200);
  client.close();
  await service.stop('SIGKILL');
  const log = fs.readFileSync(`${path}-wal`);
  const slips = {
    'the backup is put over the file': () => fs.copyFileSync(copy, path),
    'an empty file is put over it, as on a full disk': () => fs.writeFileSync(path, ''),
    'the file is gone': () => fs.rmSync(path),
  };
  for (const [what, slip] of Object.entries(slips)) {
    slip();
    const commands = [
      ['serve', '--port', '0'],
      ['import', '-'],
      ['token', 'create', '--create'],
    ];
    const readers = [['check'], ['export'], ['backup', directory.at('other.db')]];
    for (const command of fs.existsSync(path) ? [...commands, ...readers] : commands) {
      const line = /the -wal beside it belongs to another database file: move the -wal away, or put that file back\n$/;
      refusedWith(await runHere([...command, ...database]), 1, line);
    }
    assert.deepEqual(fs.readFileSync(`${path}-wal`), log, what);
  }
  for (const suffix of ['-wal', '-shm']) fs.rmSync(path + suffix);
  fs.copyFileSync(copy, path);
  assert.equal((await runHere(['export', ...database])).stdout, '{"id":1,"name":"Aloe"}\n');
});

test('a new database, the files of SQLite beside it, and a backup are readable only by their owner', {
  skip: process.platform === 'win32',
}, async () => {
  using directory = createDirectory();
  const database = `sqlite:${directory.at('plants.db')}`;
  const modes = () =>
    Object.fromEntries(
      fs.readdirSync(directory.path).map((name) => [name, (fs.statSync(directory.at(name)).mode & 0o777).toString(8)]),
    );
  const service = await serveProcess(['--database', database]);
  assert.equal((await runHere(['backup', directory.at('copy.db'), '--database', database])).code, 0);
  assert.deepEqual(modes(), { 'copy.db': '600', 'plants.db': '600', 'plants.db-shm': '600', 'plants.db-wal': '600' });
  assert.equal(await service.stop('SIGTERM'), 0);
  fs.chmodSync(directory.at('plants.db'), 0o640);
  assert.equal((await runHere(['token', 'list', '--database', database])).code, 0);
  assert.deepEqual(modes(), { 'copy.db': '600', 'plants.db': '640' }, 'what an operator chose stays');
});
