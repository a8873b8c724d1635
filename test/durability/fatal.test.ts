/** After a failed sync the service ends without another sync, which could succeed although pages were lost. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateToken } from '../../src/auth/token.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { createFailingSync, NO_FAILING_SYNC } from '../harness/failing-sync.ts';
import { runCommand, serveProcess } from '../harness/process.ts';
import { LONG_NAME } from '../harness/scattered.ts';

const token = generateToken();
const OPTIONS = { skip: NO_FAILING_SYNC };

/** Starts a service with one plant. A test can make its syncs fail. */
async function startFragile() {
  const directory = createDirectory();
  const path = directory.at('plants.db');
  const sync = createFailingSync(directory.path);
  const start = (env: NodeJS.ProcessEnv) =>
    serveProcess(['--database', `sqlite:${path}`], { PLANTSTORE_TOKEN: token, ...env });
  const service = await start(sync.env);
  const client = createClient(service.url, token);
  const create = async (id: number) => (await client.send('POST', '/plants', { body: { id, name: LONG_NAME } })).status;
  assert.equal(await create(1), 200);
  return {
    service,
    create,
    failSyncOf: (suffix: '' | '-wal') => sync.fail(path + suffix),
    /** Asserts that one sync failed, that the log exists, and that the next start finds the plants 1 to `last`. */
    async expectUntouched(last = 1) {
      client.close();
      assert.equal(sync.failed(), 1, 'syncs that failed');
      assert.match(service.stderr(), /the store failed/);
      assert.ok(existsSync(`${path}-wal`), 'the log is gone');
      const next = await start({});
      const reader = createClient(next.url, token);
      for (let id = 1; id <= last; id++) assert.equal((await reader.send('GET', `/plants/${id}`)).status, 200);
      reader.close();
      assert.equal(await next.stop('SIGTERM'), 0);
      assert.equal(existsSync(`${path}-wal`), false, 'the end of a service leaves no log');
    },
    [Symbol.dispose]: directory[Symbol.dispose],
  };
}

test('a failed sync of the log fails the write and ends the service with 1', OPTIONS, async () => {
  using fragile = await startFragile();
  const ended = new Promise((resolve) => fragile.service.child.once('close', resolve));
  fragile.failSyncOf('-wal');
  assert.equal(await fragile.create(2), 503);
  assert.equal(await ended, 1);
  await fragile.expectUntouched();
});

test('a failed sync of the file in a checkpoint ends the service with 1', OPTIONS, async () => {
  using fragile = await startFragile();
  const ended = new Promise((resolve) => fragile.service.child.once('close', resolve));
  fragile.failSyncOf('');
  let last = 1;
  while (last < 5_000 && (await fragile.create(last + 1).catch(() => undefined)) === 200) last++;
  assert.equal(await ended, 1);
  await fragile.expectUntouched(last);
});

test('a failed sync while the service stops ends it with 1', OPTIONS, async () => {
  using fragile = await startFragile();
  const { service } = fragile;
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      'Expect: 100-continue\r\nContent-Length: 22\r\n\r\n',
  );
  // The stop waits for this request.
  await new Promise((resolve) => socket.once('data', resolve));
  const ended = service.stop('SIGTERM');
  await sleep(100);
  fragile.failSyncOf('-wal');
  socket.end('{"id":2,"name":"Aloe"}');
  assert.equal(await ended, 1);
  await fragile.expectUntouched();
});

test('a failed sync during an import ends it with 1 and leaves the log to the next start', OPTIONS, async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const plants = directory.at('plants.ndjson');
  const sync = createFailingSync(directory.path);
  const importAll = () => runCommand(['import', plants, '--database', `sqlite:${path}`], sync.env);
  writeFileSync(plants, '{"id":1,"name":"Aloe"}\n');
  assert.equal((await importAll()).code, 0);
  writeFileSync(plants, Array.from({ length: 10_000 }, (_, id) => `{"id":${id + 2},"name":"${LONG_NAME}"}\n`).join(''));
  sync.fail(path);
  const { code, stderr } = await importAll();
  assert.equal(code, 1);
  assert.match(stderr, /^plantstore: the store is unreachable: disk I\/O error; import it again: [^\n]+\n$/);
  assert.equal(sync.failed(), 1, 'syncs that failed');
  assert.ok(existsSync(`${path}-wal`), 'the log is gone');
});
