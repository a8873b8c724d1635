import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure } from '../../src/errors.ts';
import { createLogger } from '../../src/observe/log.ts';
import { createDirectory } from '../harness/directory.ts';
import { startTestService, startWith } from '../harness/service.ts';

test('an outage of the store is logged once, and the known tokens stay valid', async () => {
  await using service = await startTestService();
  const { tokens } = service.engine;
  const { revision } = tokens;
  for (let outage = 1; outage <= 2; outage++) {
    Object.assign(tokens, { revision: () => Promise.reject(new StoreFailure('unreachable')) });
    for (let i = 0; i < 3; i++) await service.running.refreshTokens();
    assert.equal((await service.client.send('GET', '/plants')).status, 200);
    Object.assign(tokens, { revision });
    await service.running.refreshTokens();
    assert.equal(service.log().match(/could not refresh the token list/g)?.length, outage);
  }
});

test('a service that cannot listen stops reading the store', async () => {
  using directory = createDirectory();
  const stream = new PassThrough();
  const database = `sqlite:${directory.at('plants.db')}`;
  const starting = startWith({ database, host: '192.0.2.1' }, createLogger('info', stream));
  await assert.rejects(starting, { message: /^cannot listen on 192\.0\.2\.1:0: this machine does not have/ });
  // A running service reads the tokens every 400 ms.
  await sleep(500);
  assert.equal(stream.read(), null, 'nothing is logged');
});
