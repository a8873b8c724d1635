import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type Service, startService } from '../../src/cli/service.ts';
import { createLogger } from '../../src/observe/log.ts';
import { createMetrics, type Metrics } from '../../src/observe/metrics.ts';
import type { Engine } from '../../src/stores/engine.ts';
import { openSqlite } from '../../src/stores/sqlite/index.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { LIMITS } from '../harness/service.ts';

const TOKEN = 'everything-is-allowed';
const OPTIONS = { queueLimit: 10, random: Math.random, onFatal: () => undefined };

function start(engine: Engine, metrics: Metrics): Promise<Service> {
  return startService(engine, {
    host: '127.0.0.1',
    port: 0,
    baseUrl: undefined,
    tls: undefined,
    token: TOKEN,
    limits: LIMITS,
    now: Date.now,
    log: createLogger('info', new PassThrough().resume()),
    admin: { host: '127.0.0.1', port: 0, metrics },
  });
}

test('readiness follows the store, liveness does not, and neither needs a credential', async () => {
  using directory = createDirectory();
  const engine = await openSqlite(directory.at('plants.db'), OPTIONS);
  const { tokens } = engine;
  let answering: Promise<void> | undefined;
  let asked = 0;
  const revision = async () => {
    asked++;
    await answering;
    return tokens.revision();
  };
  const metrics = createMetrics();
  const service = await start({ ...engine, tokens: { ...tokens, revision } }, metrics);
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

test('a service that stops is alive but no longer ready, and finishes what is under way', async () => {
  using directory = createDirectory();
  const engine = await openSqlite(directory.at('plants.db'), OPTIONS);
  const service = await start(engine, createMetrics());
  const socket = connect(service.address.port, '127.0.0.1');
  socket.write(`POST /plants HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`);
  socket.write('Content-Type: application/json\r\nContent-Length: 22\r\nExpect: 100-continue\r\n\r\n');
  await once(socket, 'readable');
  const admin = `http://127.0.0.1:${service.admin?.port}`;
  assert.equal((await fetch(`${admin}/readyz`)).status, 200);
  const closed = service.close(5_000);
  const statuses = await Promise.all(
    ['healthz', 'readyz'].map(async (path) => (await fetch(`${admin}/${path}`)).status),
  );
  assert.deepEqual(statuses, [200, 503]);
  const answer = text(socket);
  socket.write('{"id":1,"name":"Aloe"}');
  await closed;
  assert.match(await answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  await engine.close();
});
