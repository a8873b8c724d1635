import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { startService } from '../../src/cli/service.ts';
import { createLogger } from '../../src/observe/log.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { openSqlite } from '../../src/stores/sqlite/index.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { LIMITS } from '../harness/service.ts';

test('readiness follows the store, liveness does not, and neither needs a credential', async () => {
  using directory = createDirectory();
  const options = { queueLimit: 10, random: Math.random, onFatal: () => undefined };
  const engine = await openSqlite(directory.at('plants.db'), options);
  const { tokens } = engine;
  let answering: Promise<void> | undefined;
  let asked = 0;
  const revision = async () => {
    asked++;
    await answering;
    return tokens.revision();
  };
  const metrics = createMetrics();
  const watched = { ...engine, tokens: { ...tokens, revision } };
  const service = await startService(watched, {
    host: '127.0.0.1',
    port: 0,
    baseUrl: undefined,
    tls: undefined,
    token: undefined,
    limits: { ...LIMITS, maxBody: 1_024, maxConnections: 10 },
    now: Date.now,
    log: createLogger('info', new PassThrough().resume()),
    admin: { host: '127.0.0.1', port: 0, metrics },
  });
  const client = createClient(`http://127.0.0.1:${service.address.port}`, '');
  const ask = (path: string) => client.send('GET', path, { token: null });
  assert.deepEqual((await ask('/healthz')).json(), { status: 'ok' });
  assert.deepEqual((await ask('/readyz')).json(), { status: 'ok' });
  const later = Promise.withResolvers<void>();
  answering = later.promise;
  asked = 0;
  const probes = Array.from({ length: 5 }, () => ask('/readyz'));
  assert.equal((await ask('/healthz')).status, 200);
  assert.ok(asked <= 2, 'the store is asked once for all probes, and perhaps for new tokens');
  later.resolve();
  for (const probe of probes) assert.equal((await probe).status, 200);
  await engine.close();
  assert.equal((await ask('/healthz')).status, 200);
  const unready = await ask('/readyz');
  assert.equal(unready.status, 503);
  assert.equal((unready.json() as { error: number }).error, 50300);
  assert.equal(unready.headers['retry-after'], '1');
  // A probe is no request that the store could not serve.
  assert.doesNotMatch(await metrics.text(), /^plantstore_store_errors_total\{.*\} [1-9]/m);
  client.close();
  await service.close(1_000);
});
