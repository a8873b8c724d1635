import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueToken } from '../../src/auth/issue-token.ts';
import { openOpaqueTokens } from '../../src/auth/opaque-tokens.ts';
import { startService } from '../../src/cli/service.ts';
import { Problem } from '../../src/errors.ts';
import { createLogger } from '../../src/observe/log.ts';
import { openSqlite } from '../../src/stores/sqlite/index.ts';
import { createDirectory } from '../harness/directory.ts';
import { LIMITS } from '../harness/service.ts';

test('an outage of the store is logged once, however often its tokens are asked for, and they stay in force', async () => {
  using directory = createDirectory();
  const options = { queueLimit: 10, random: Math.random, onFatal: () => undefined };
  const engine = await openSqlite(directory.at('plants.db'), options);
  const { token, record } = issueToken({
    name: undefined,
    store: 'default',
    scopes: ['plants:read'],
    createdAt: Date.now(),
    expiresAt: undefined,
  });
  await engine.tokens.add(record);
  const stream = new PassThrough();
  const tokens = await openOpaqueTokens(engine.tokens, undefined, Date.now, createLogger('info', stream));
  const other = new DatabaseSync(directory.at('plants.db'));
  for (let outage = 0; outage < 2; outage++) {
    other.exec('ALTER TABLE revisions RENAME TO away');
    for (let i = 0; i < 3; i++) await tokens.refresh();
    assert.ok(!(tokens.authenticate(token) instanceof Problem));
    other.exec('ALTER TABLE away RENAME TO revisions');
    await tokens.refresh();
  }
  tokens.close();
  other.close();
  await engine.close();
  stream.end();
  assert.equal((await text(stream)).match(/tokens could not be read again/g)?.length, 2);
});

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
