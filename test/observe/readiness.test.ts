import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { StoreFailure } from '../../src/errors.ts';
import { version } from '../../src/util/version.generated.ts';
import { errorOf } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';

const admin = { host: '127.0.0.1', port: 0 };

test('/readyz depends on the store, /healthz does not, and neither needs a credential', async () => {
  await using service = await startTestService({ admin });
  const { tokens } = service.engine;
  const { revision } = tokens;
  const ask = (path: string) => service.client.send('GET', path, { token: null });
  assert.deepEqual((await ask('/healthz')).json(), { status: 'ok', version });
  assert.deepEqual((await ask('/readyz')).json(), { status: 'ok', version });
  const later = Promise.withResolvers<bigint>();
  let asked = 0;
  const pending = () => {
    asked++;
    return later.promise;
  };
  Object.assign(tokens, { revision: pending });
  const probes = Array.from({ length: 5 }, () => ask('/readyz'));
  assert.equal((await ask('/healthz')).status, 200);
  assert.ok(asked <= 2, 'the probes share one request to the store; the token refresh may send another');
  later.resolve(await revision());
  for (const probe of probes) assert.equal((await probe).status, 200);

  Object.assign(tokens, { revision: () => Promise.reject(new StoreFailure('unreachable')) });
  assert.equal((await ask('/healthz')).status, 200);
  const unready = await ask('/readyz');
  assert.equal(errorOf(unready), 50300);
  assert.equal(unready.headers['retry-after'], '1');
  // A probe does not count as a request that the store could not serve.
  const metrics = await (await fetch(`http://127.0.0.1:${service.running.admin?.port}/metrics`)).text();
  assert.doesNotMatch(metrics, /^plantstore_store_errors_total\{.*\} [1-9]/m);
  assert.match(service.log(), /"path":"\/readyz","why":"the store is unreachable","msg":"the store could not serve"/);
  assert.doesNotMatch(service.log(), /serves again/);
  Object.assign(tokens, { revision });
  assert.equal((await ask('/readyz')).status, 200);
  assert.match(service.log(), /"failed":0,"msg":"the store serves again"/);
});

test('the end of an outage is logged, though nobody repeats the operation that failed', async () => {
  await using service = await startTestService();
  const { client, engine } = service;
  const { replace } = engine.plants;
  for (const [reason, last] of [
    ['unreachable', 'GET'],
    ['overloaded', 'POST'],
  ] as const) {
    Object.assign(engine.plants, { replace: () => Promise.reject(new StoreFailure(reason)) });
    assert.equal((await client.send('PUT', '/plants/1', { body: { name: 'Aloe' } })).status, 503);
    Object.assign(engine.plants, { replace });
    const ends = () => service.log().split('the store serves again').length - 1;
    const before = ends();
    assert.equal((await client.send('GET', '/plants')).status, 200);
    // A store that refuses writes still serves reads.
    assert.equal(ends(), before + (last === 'GET' ? 1 : 0));
    assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 200);
    assert.equal(ends(), before + 1);
  }
});

test('a stopping service is alive but not ready, and finishes requests in progress', async () => {
  await using service = await startTestService({ admin });
  const { running, client } = service;
  const socket = connect(running.address.port, '127.0.0.1');
  socket.write(`POST /plants HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${client.token}\r\n`);
  socket.write('Content-Type: application/json\r\nContent-Length: 22\r\nExpect: 100-continue\r\n\r\n');
  await once(socket, 'readable');
  const url = `http://127.0.0.1:${running.admin?.port}`;
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const closed = running.close();
  const statuses = await Promise.all(['healthz', 'readyz'].map(async (path) => (await fetch(`${url}/${path}`)).status));
  assert.deepEqual(statuses, [200, 503]);
  const response = text(socket);
  socket.write('{"id":1,"name":"Aloe"}');
  await closed;
  assert.match(await response, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});
