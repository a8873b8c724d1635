import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type Client, createClient, errorOf } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { CAN_MOUNT, IS_ROOT, NAMESPACE, NO_MOUNT } from '../harness/mount.ts';
import { refusedWith, runCommand, serveProcess } from '../harness/process.ts';
import { LONG_NAME, scatteredId } from '../harness/scattered.ts';

// Mounting needs root. Other users run this file again as the root of a namespace. SQLite could not open a file of the
// namespace from outside: it resolves links by their text, and /proc/…/root leads to the system's root.
if (CAN_MOUNT && !IS_ROOT) {
  const node = [process.execPath, ...process.execArgv, import.meta.filename];
  const { status } = spawnSync('unshare', [...NAMESPACE, ...node], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

/** Mounts a file system of a given size. */
function smallDisk(size: string) {
  const directory = mkdtempSync(join(tmpdir(), 'plantstore-full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory]);
  return {
    path: directory,
    [Symbol.dispose]() {
      execFileSync('umount', [directory]);
      rmSync(directory, { recursive: true });
    },
  };
}

/** Uses up all space that is left. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  for (const piece of [Buffer.alloc(2 ** 16), Buffer.alloc(2 ** 12)]) {
    const write = () => {
      for (;;) writeSync(file, piece);
    };
    assert.throws(write, { code: 'ENOSPC' });
  }
  closeSync(file);
}

async function create(client: Client, id: number | bigint): Promise<number> {
  const response = await client.send('POST', '/plants', { body: { id, name: LONG_NAME } });
  return response.status === 200 ? 200 : errorOf(response);
}

test('on a full disk creating returns 503 / 50302, reads continue, and it works again when there is space', {
  skip: NO_MOUNT,
}, async () => {
  using disk = smallDisk('24m');
  const database = `sqlite:${join(disk.path, 'plants.db')}`;
  const service = await serveProcess(['--database', database]);
  const client = createClient(service.url, service.token ?? '');
  const confirmed: number[] = [];
  let next = 0;
  const round = async (): Promise<number[]> =>
    Promise.all(
      Array.from({ length: 50 }, async () => {
        const id = next++;
        const result = await create(client, id);
        if (result === 200) confirmed.push(id);
        return result;
      }),
    );
  for (let i = 0; i < 20; i++) await round();
  fill(join(disk.path, 'filler'));
  // The space that the log and the file have already allocated can still be used.
  while ((await round()).includes(200));
  for (let i = 0; i < 5; i++) assert.deepEqual(new Set(await round()), new Set([50302]));
  // A token is smaller than a plant, so the first ones may still find space.
  let made = await runCommand(['token', 'create', '--database', database]);
  for (let i = 0; made.code === 0 && i < 20; i++) made = await runCommand(['token', 'create', '--database', database]);
  refusedWith(made, 1, /^plantstore: the store's disk is full; free space$/m);
  assert.equal((await client.send('GET', `/plants/${confirmed[0]}`)).status, 200);
  assert.equal((await client.send('GET', '/plants?limit=1000')).status, 200);
  assert.equal((await client.send('GET', '/readyz', { token: null })).status, 200);

  const freed = performance.now();
  rmSync(join(disk.path, 'filler'));
  while ((await create(client, next)) !== 200) assert.ok(performance.now() - freed < 2_000, 'no create within 2 s');
  confirmed.push(next);

  client.close();
  assert.equal(await service.stop('SIGTERM'), 0);
  assert.equal((await runCommand(['check', '--database', database])).code, 0);
  const { stdout } = await runCommand(['export', '--database', database]);
  const kept = new Set(stdout.split('\n').map((line) => /^\{"id":(\d+)/.exec(line)?.[1]));
  for (const id of confirmed) assert.ok(kept.has(String(id)), `plant ${id} was confirmed and is lost`);
});

test('a first start without space for the log or its index reports a full disk', { skip: NO_MOUNT }, async () => {
  for (const size of ['8k', '16k', '40k']) {
    using disk = smallDisk(size);
    const path = join(disk.path, 'plants.db');
    const { code, stderr } = await runCommand(['token', 'create', '--create', '--database', `sqlite:${path}`]);
    const why = 'its disk is full; free space, or choose another disk';
    assert.deepEqual([code, stderr], [1, `plantstore: cannot use the database file ${path}: ${why}\n`]);
  }
});

test('a backup and an import for which the disk has no space fail with one line and the remedy', {
  skip: NO_MOUNT,
}, async () => {
  using disk = smallDisk('256k');
  using directory = createDirectory();
  const plants = Array.from({ length: 2_000 }, (_, id) => JSON.stringify({ id, name: LONG_NAME }));
  writeFileSync(directory.at('plants.ndjson'), plants.join('\n'));
  const importTo = (path: string) =>
    runCommand(['import', directory.at('plants.ndjson'), '--database', `sqlite:${path}`]);
  assert.equal((await importTo(directory.at('plants.db'))).code, 0);
  const copy = join(disk.path, 'copy.db');
  const failed = await runCommand(['backup', copy, '--database', `sqlite:${directory.at('plants.db')}`]);
  refusedWith(
    failed,
    1,
    /^plantstore: cannot write .*copy\.db: its disk is full; free space, or choose another disk$/m,
  );
  refusedWith(
    await importTo(join(disk.path, 'plants.db')),
    1,
    /: the store's disk is full; free space; import it again/,
  );
});

test('a disk that is full for the log, its index or a checkpoint only causes 50302', {
  skip: NO_MOUNT,
}, async () => {
  using disk = smallDisk('40m');
  const path = join(disk.path, 'plants.db');
  const database = `sqlite:${path}`;
  const service = await serveProcess(['--database', database]);
  const client = createClient(service.url, service.token ?? '');
  const round = async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => create(client, scatteredId(next++))));
    for (const result of results) assert.ok(result === 200 || result === 50302, String(result));
    return results;
  };
  let next = 0;
  await round();
  // A reader prevents copying the log into the file.
  const reader = new DatabaseSync(path);
  reader.exec('BEGIN; SELECT * FROM plants');
  // The log's index has space for 4,062 pages and then grows by 32 KiB (https://sqlite.org/walformat.html, 2.3).
  while (statSync(`${path}-wal`).size < 4_000 * (4_096 + 24)) await round();
  const filler = join(disk.path, 'filler');
  fill(filler);
  const refused = new Set<number>();
  while (statSync(`${path}-wal`).size < 4_200 * (4_096 + 24)) {
    for (const result of await round()) if (result !== 200) refused.add(result);
    truncateSync(filler, statSync(filler).size - 4 * 4_096);
  }
  assert.deepEqual([...refused], [50302]);
  // Now the log can be copied, but the file cannot grow.
  fill(join(disk.path, 'rest'));
  reader.close();
  for (let i = 0; i < 5; i++) await round();
  rmSync(filler);
  assert.deepEqual(new Set(await round()), new Set([200]));
  client.close();
  assert.equal(await service.stop('SIGTERM'), 0);
  assert.equal((await runCommand(['check', '--database', database])).code, 0);
});
