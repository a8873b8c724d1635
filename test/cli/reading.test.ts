/** Commands that only read: they change no file, and work where they cannot write. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Access, Engine } from '../../src/stores/engine.ts';
import { openForCommand } from '../../src/stores/open.ts';
import { STEPS } from '../../src/stores/sqlite/migrations.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory, digestsIn } from '../harness/directory.ts';
import { IS_ROOT, NO_MOUNT } from '../harness/mount.ts';
import { refusedWith, runHere, serveProcess } from '../harness/process.ts';

const PLANT = '{"id":1,"name":"Aloe"}\n';

/** A database after an import and its backup, each in its own folder. */
async function store() {
  const directory = createDirectory();
  const { at } = directory;
  for (const name of ['used', 'backup', 'copies']) mkdirSync(at(name));
  writeFileSync(at('plants.ndjson'), PLANT);
  const database = `sqlite:${at('used/plants.db')}`;
  assert.equal((await runHere(['import', at('plants.ndjson'), '--database', database])).code, 0);
  assert.equal((await runHere(['backup', at('backup/plants.db'), '--database', database])).code, 0);
  return directory;
}

/** For tests that use `writeProtected`, which needs a mount for root. */
const PROTECTED = { skip: IS_ROOT && NO_MOUNT };

/** Makes a folder read-only. For root, who may write despite the mode, it uses a mount. */
function writeProtected(folder: string): Disposable {
  if (IS_ROOT) {
    execFileSync('mount', ['--bind', folder, folder]);
    execFileSync('mount', ['-o', 'remount,bind,ro', folder]);
    return { [Symbol.dispose]: () => void execFileSync('umount', [folder]) };
  }
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o400);
  chmodSync(folder, 0o500);
  return { [Symbol.dispose]: () => chmodSync(folder, 0o700) };
}

/** Runs every command that only reads on the database, which has no problem and contains the plant. */
async function readAll(path: string, copy: string): Promise<void> {
  const database = ['--database', `sqlite:${path}`];
  const checked = await runHere(['check', ...database]);
  assert.deepEqual([checked.code, checked.stderr], [0, '']);
  assert.match(checked.stdout, /^No problems found: 1 plant, (?:0 tokens|1 token) in \S+\.\n$/);
  for (const what of ['token', 'sandbox']) {
    const listed = await runHere([what, 'list', ...database]);
    assert.deepEqual([listed.code, listed.stderr], [0, '']);
  }
  const exported = await runHere(['export', ...database]);
  assert.deepEqual([exported.code, exported.stdout], [0, PLANT], exported.stderr);
  const copied = await runHere(['backup', copy, ...database]);
  assert.deepEqual([copied.code, copied.stderr], [0, '']);
  assert.equal((await runHere(['export', '--database', `sqlite:${copy}`])).stdout, PLANT);
}

test('an export replaces a file only with --force, and never the database that it reads', async () => {
  using place = await store();
  const path = place.at('backup/plants.db');
  const before = digestsIn(place.at('backup'));
  const exportTo = (file: string, from = path) => runHere(['export', file, '--force', '--database', `sqlite:${from}`]);
  symlinkSync(path, place.at('link.db'));
  symlinkSync(place.at('backup'), place.at('link'));
  for (const from of [path, place.at('link.db'), place.at('link/plants.db')]) {
    refusedWith(await exportTo(path, from), 2, /: the output file is the database itself; choose another name\n$/);
  }
  assert.deepEqual(digestsIn(place.at('backup')), before);
  writeFileSync(place.at('plants.ndjson'), 'an earlier one');
  assert.equal((await exportTo(place.at('plants.ndjson'))).code, 0);
  assert.equal(readFileSync(place.at('plants.ndjson'), 'utf8'), PLANT);
  assert.deepEqual(readdirSync(place.path).sort(), ['backup', 'copies', 'link', 'link.db', 'plants.ndjson', 'used']);
});

test('no command replaces a file that SQLite has put beside a database', async () => {
  using place = await store();
  const path = place.at('copies/live.db');
  await using service = await serveProcess(['--database', `sqlite:${path}`]);
  const client = createClient(service.url, service.token ?? '');
  assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 200);
  for (const command of ['export', 'backup']) {
    for (const end of ['wal', 'shm', 'journal']) {
      const result = await runHere([command, `${path}-${end}`, '--force', '--database', `sqlite:${path}`]);
      refusedWith(result, 1, /live\.db-\w+ belongs to the database \S+live\.db and was not changed; choose another/);
    }
  }
  client.close();
  service.child.kill('SIGKILL');
  await once(service.child, 'exit');
  assert.equal((await runHere(['export', '--database', `sqlite:${path}`])).stdout, PLANT);
});

test('a file that --force replaces is then open to nobody else', { skip: process.platform === 'win32' }, async () => {
  using place = await store();
  const path = place.at('copies/earlier');
  for (const command of ['export', 'backup']) {
    for (const mode of [0o600, 0o640, 0o444]) {
      writeFileSync(path, 'an earlier one');
      chmodSync(path, mode);
      const result = await runHere([command, path, '--force', '--database', `sqlite:${place.at('used/plants.db')}`]);
      assert.equal(result.code, 0, result.stderr);
      assert.equal(statSync(path).mode & 0o777 & ~mode, 0, `${command} ${mode.toString(8)}`);
      chmodSync(path, 0o600);
    }
  }
});

for (const what of ['used', 'backup']) {
  const name = what === 'backup' ? 'a backup' : 'a database that no service uses';
  test(`${name} is not changed by reading, and no file appears beside it`, async () => {
    using place = await store();
    const before = digestsIn(place.at(what));
    await readAll(place.at(`${what}/plants.db`), place.at('copies/plants.db'));
    assert.deepEqual(digestsIn(place.at(what)), before);
  });
}

test('a backup can be read in a read-only folder', PROTECTED, async () => {
  using place = await store();
  using _ = writeProtected(place.at('backup'));
  await readAll(place.at('backup/plants.db'), place.at('copies/plants.db'));
});

test('a database in use, or of a killed service, is read together with its log, which is kept', PROTECTED, async () => {
  using place = await store();
  const path = place.at('copies/live.db');
  await using service = await serveProcess(['--database', `sqlite:${path}`]);
  const client = createClient(service.url, service.token ?? '');
  assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 200);
  await readAll(path, place.at('copies/1.db'));
  client.close();
  await service.stop('SIGKILL');
  const files = ['live.db', 'live.db-wal', 'live.db-shm'];
  mkdirSync(place.at('killed'));
  for (const name of files) copyFileSync(place.at(`copies/${name}`), place.at(`killed/${name}`));
  const kept = () => digestsIn(place.at('killed')).filter(([name]) => !name.endsWith('-shm'));
  const before = kept();
  await readAll(place.at('killed/live.db'), place.at('copies/2.db'));
  assert.deepEqual(kept(), before);
  using _ = writeProtected(place.at('killed'));
  await readAll(place.at('killed/live.db'), place.at('copies/3.db'));
});

test('a link to a database leads to the database and its log, which is kept', async () => {
  using place = await store();
  const path = place.at('used/plants.db');
  await using service = await serveProcess(['--database', `sqlite:${path}`]);
  await service.stop('SIGKILL');
  const kept = () => digestsIn(place.at('used')).filter(([name]) => !name.endsWith('-shm'));
  const before = kept();
  assert.equal(before.length, 2);
  symlinkSync(path, place.at('link.db'));
  await readAll(place.at('link.db'), place.at('copies/1.db'));
  assert.deepEqual(kept(), before);
});

test('a user without write permission can read a backup', async () => {
  using place = await store();
  const path = place.at('backup/plants.db');
  chmodSync(place.at('.'), 0o755);
  chmodSync(path, 0o444);
  chmodSync(place.at('backup'), 0o555);
  const engine = await openAsOther(path, 'read');
  try {
    assert.deepEqual((await engine.check()).problems, []);
    assert.deepEqual(await Array.fromAsync(engine.plants.readAll('default')), [[{ id: 1n, name: 'Aloe' }]]);
  } finally {
    await engine.close();
    chmodSync(place.at('backup'), 0o755);
  }
  assert.deepEqual(readdirSync(place.at('backup')), ['plants.db']);
});

/** Opens the file as another user than root, who may write despite the mode. */
async function openAsOther(path: string, access: Access): Promise<Engine> {
  if (process.getuid?.() !== 0) return openForCommand(`sqlite:${path}`, access, access !== 'read');
  process.seteuid?.('nobody');
  try {
    return await openForCommand(`sqlite:${path}`, access, access !== 'read');
  } finally {
    process.seteuid?.(0);
  }
}

test('a command that writes refuses a read-only file, and no file appears beside it', async () => {
  using place = await store();
  chmodSync(place.at('.'), 0o755);
  chmodSync(place.at('used'), 0o777);
  chmodSync(place.at('used/plants.db'), 0o444);
  await assert.rejects(
    openAsOther(place.at('used/plants.db'), 'plants'),
    /^StartupError: cannot use the .* this user lacks the permission \(EACCES\); change /,
  );
  assert.deepEqual(readdirSync(place.at('used')), ['plants.db']);
});

test('a command reports a database whose log cannot be created in a read-only folder', PROTECTED, async () => {
  using place = await store();
  using _ = writeProtected(place.at('used'));
  const checked = await runHere(['check', '--database', `sqlite:${place.at('used/plants.db')}`]);
  refusedWith(checked, 1, /: cannot use the database file .*: its log cannot be opened: .*\n$/);
});

const DEVELOPMENT =
  'it was written by a development version of Plant Store (format 4 before 1.0.0). To keep its plants, check out the ' +
  'commit that wrote it, run "npm ci" and "bin/plantstore export plants.ndjson --database URL" there, and import ' +
  'that file into a new database';

test('a command reports missing tables, and tables of a development or newer version, in the log', async () => {
  using place = await store();
  const path = place.at('used/plants.db');
  const newer = new DatabaseSync(path);
  newer.exec('ALTER TABLE plants RENAME COLUMN tag TO kind; PRAGMA user_version = 999');
  writeFileSync(place.at('empty.db'), '');
  using development = new DatabaseSync(place.at('development.db'));
  development.exec('CREATE TABLE meta (key TEXT); PRAGMA application_id = 0x504c4e54; PRAGMA user_version = 4');
  for (const [file, reason] of [
    [path, `it was written by a newer version of Plant Store (format 999, not ${STEPS.length})`],
    [place.at('development.db'), DEVELOPMENT],
    [
      place.at('empty.db'),
      `its tables do not exist yet (format 0, not ${STEPS.length}): plantstore serve creates them`,
    ],
  ]) {
    const told = { code: 1, stdout: '', stderr: `plantstore: cannot use the database file ${file}: ${reason}\n` };
    for (const command of [['check'], ['export'], ['backup', place.at('copies/plants.db')]]) {
      assert.deepEqual(await runHere([...command, '--database', `sqlite:${file}`]), told, `${command[0]} of ${file}`);
    }
  }
  newer.close();
});
