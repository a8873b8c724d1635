/** `Strict-Transport-Security` (RFC 6797): which services send it, and that every response has it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../harness/service.ts';
import { exchange } from './raw-client.ts';

test('with an https base URL every response has Strict-Transport-Security, and no subdomain is included', async () => {
  await using service = await startTestService({ baseUrl: 'https://garden.example' });
  const { client } = service;
  const preflight = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'PUT' };
  const etag = (await client.send('GET', '/openapi.json')).headers.etag;
  const responses = {
    200: await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } }),
    204: await client.send('OPTIONS', '/plants', { token: null, headers: preflight }),
    304: await client.send('GET', '/openapi.json', { headers: { 'If-None-Match': etag } }),
    401: await client.send('HEAD', '/plants', { token: null }),
    404: await client.send('GET', '/no'),
    405: await client.send('PUT', '/plants'),
  };
  for (const [status, response] of Object.entries(responses)) {
    assert.equal(response.status, Number(status));
    assert.equal(response.headers['strict-transport-security'], 'max-age=31536000', status);
  }
  assert.equal((await client.send('GET', '/')).headers['strict-transport-security'], 'max-age=31536000');
  const malformed = await exchange(service.running.address.port, ['GET / HTTP/9.9\r\n\r\n'], 1);
  assert.deepEqual(
    malformed.responses.map(({ status, headers }) => [status, headers['strict-transport-security']]),
    [[400, 'max-age=31536000']],
  );
});

for (const baseUrl of [
  undefined,
  'http://garden.example',
  'https://localhost:8443',
  'https://127.0.0.1:8443',
  'https://[::1]',
]) {
  test(`with the base URL ${baseUrl} no response has Strict-Transport-Security`, async () => {
    await using service = await startTestService({ ...(baseUrl && { baseUrl }) });
    for (const target of ['/plants', '/healthz', '/no']) {
      const response = await service.client.send('GET', target);
      assert.equal(response.headers['strict-transport-security'], undefined, target);
    }
  });
}
