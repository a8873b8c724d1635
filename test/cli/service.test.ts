import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../src/cli/service.ts';
import { createLogger } from '../../src/observe/log.ts';
import { openSqlite } from '../../src/stores/sqlite/index.ts';
import { createDirectory } from '../harness/directory.ts';
import { LIMITS } from '../harness/service.ts';

test('a service that cannot listen leaves nothing behind that would ask its store', async () => {
  using directory = createDirectory();
  const options = { queueLimit: 10, random: Math.random, onFatal: () => undefined };
  const engine = await openSqlite(directory.at('plants.db'), options);
  const stream = new PassThrough();
  const starting = startService(engine, {
    host: '192.0.2.1',
    port: 0,
    baseUrl: undefined,
    tls: undefined,
    token: undefined,
    limits: LIMITS,
    now: Date.now,
    log: createLogger('info', stream),
  });
  await assert.rejects(starting, { code: 'EADDRNOTAVAIL' });
  await engine.close();
  // Tokens are read again every 400 ms.
  await sleep(1_000);
  assert.equal(stream.read(), null, 'nothing is logged');
});
