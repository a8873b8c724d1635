/** After a sync that failed the process ends, and leaves the log as it is: to close the file would sync it again. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateToken } from '../../src/auth/token.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';

const token = generateToken();

/** Runs before the service: at SIGUSR2 the writer's thread answers as it does when SQLite could not sync. */
const FAULT = `process.once('worker', (thread) =>
  process.on('SIGUSR2', () => thread.emit('message', { error: new Error('disk I/O error'), code: 10 })));`;

/** A service with one plant, whose next sync can be made to fail. */
async function startFragile() {
  const directory = createDirectory();
  const path = directory.at('plants.db');
  const start = (env: NodeJS.ProcessEnv) =>
    serveProcess(['--database', `sqlite:${path}`], { PLANTSTORE_TOKEN: token, ...env });
  const service = await start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULT)}` });
  const client = createClient(service.url, token);
  assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 200);
  client.close();
  return {
    service,
    /** The log is still there, and what was answered is in it. */
    async expectUntouched() {
      assert.ok(existsSync(`${path}-wal`), 'the log was merged and taken away');
      const next = await start({});
      const reader = createClient(next.url, token);
      assert.equal((await reader.send('GET', '/plants/1')).status, 200);
      reader.close();
      assert.equal(await next.stop('SIGTERM'), 0);
      assert.equal(existsSync(`${path}-wal`), false, 'a sound end leaves no log');
    },
    [Symbol.dispose]: directory[Symbol.dispose],
  };
}

test('a sync that fails ends the service with 1, and the file is not synced again', async () => {
  using fragile = await startFragile();
  assert.equal(await fragile.service.stop('SIGUSR2'), 1);
  assert.match(fragile.service.stderr(), /the store failed/);
  await fragile.expectUntouched();
});

test('one that fails while the service is stopping does so too', async () => {
  using fragile = await startFragile();
  const { service } = fragile;
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n',
  );
  // Under way: it is waited for.
  await new Promise((resolve) => socket.once('data', resolve));
  const ended = service.stop('SIGTERM');
  await sleep(100);
  service.child.kill('SIGUSR2');
  await sleep(100);
  socket.end('{}');
  assert.equal(await ended, 1);
  await fragile.expectUntouched();
});
