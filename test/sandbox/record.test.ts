/** The record of requests: what it leaves out, how much it keeps, and requests that are refused early. */
import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { Exchange } from '../../src/http/exchange.ts';
import { createRecorder } from '../../src/sandbox/recorder.ts';
import { type Client, createClient } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';
import { enterSandbox, makeSandbox, QUICK, waitUntil } from './sandbox.ts';

interface Received {
  readonly number: number;
  readonly target: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body?: string;
  readonly status: number;
  readonly error?: number;
}

const list = async (client: Client) => (await client.send('GET', '/sandbox/requests')).json() as readonly Received[];

describe('the record of requests', async () => {
  const service = await startTestService({ sandboxes: 1_000, sandboxTimes: QUICK });
  after(() => service[Symbol.asyncDispose]());
  const { url } = service.client;

  test('shows no credentials, whatever header field they are in', async () => {
    const { token } = await makeSandbox(service.client);
    const client = createClient(url, token);
    const secrets = {
      Cookie: 'session=hush',
      'Proxy-Authorization': 'Basic aHVzaA==',
    };
    for (const Authorization of [`bearer ${token}`, `BEARER   ${token}`]) {
      await client.send('GET', '/plants', { token: null, headers: { Authorization, ...secrets } });
    }
    // Two Authorization fields: the service refuses the request, since either field could be meant.
    const twice = await fetch(`${url}/plants`, {
      headers: [
        ['Authorization', `Bearer ${token}`],
        ['authorization', 'Bearer hush'],
      ],
    });
    assert.equal(twice.status, 401);
    await waitUntil(async () => (await list(client)).length >= 2);
    const text = JSON.stringify(await list(client));
    assert.doesNotMatch(text, /hush|aHVzaA/);
    assert.ok(!text.includes(token));
    assert.match(text, /"Proxy-Authorization","value":"Basic …"/);
    client.close();
  });

  test('shows up to 4 KiB of a body, even if it is not UTF-8', async () => {
    const client = await enterSandbox(service);
    const name = 'ä'.repeat(3_000);
    await client.send('POST', '/plants', { body: { id: 1, name } });
    await client.send('POST', '/plants', { body: Buffer.from([0x22, 0xff, 0xfe, 0x22]) });
    const [long, bad] = await list(client);
    assert.ok(Buffer.byteLength(long?.body ?? '') <= 4_098 && (long?.body ?? '').startsWith('{"id":1,"name":"ää'));
    assert.equal(bad?.body, '"\ufffd\ufffd"');
    client.close();
  });

  test('leaves out requests to /sandbox, requests to unknown paths, and requests with other tokens', async () => {
    const client = await enterSandbox(service);
    await client.send('GET', '/plant');
    await client.send('PATCH', '/plants');
    await client.send('PUT', '/sandbox/faults', { body: [] });
    await service.client.send('GET', '/plants');
    await client.send('GET', '/plants', { token: 'pss_unknown' });
    assert.deepEqual(await list(client), []);
    client.close();
  });

  test('keeps only the newest requests if all are too long together', async () => {
    const client = await enterSandbox(service);
    const long = 'x'.repeat(15_000);
    for (let i = 1; i <= 20; i++) await client.send('GET', `/plants/${i}`, { headers: { 'X-Long': long } });
    const requests = await list(client);
    assert.ok(requests.length < 10, String(requests.length));
    assert.equal(requests.at(-1)?.target, '/plants/20');
    client.close();
  });
});

test('the records of all sandboxes have a common limit: the least recently used are deleted', () => {
  const recorder = createRecorder(Date.now);
  for (let i = 0; i < 2_000; i++) {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/plants' });
    const exchange = new Exchange(request, new ServerResponse(request), 'id', AbortSignal.any([]));
    recorder.add(`sandbox-${i}`, exchange, { status: 200, headers: {} }, undefined);
  }
  const kept = Array.from({ length: 2_000 }, (_, i) => recorder.list(`sandbox-${i}`, 0).length);
  const sum = kept.reduce((total, length) => total + length, 0);
  assert.ok(sum >= 250 && sum <= 500, String(sum));
  assert.equal(recorder.list('sandbox-1999', 0).length, 1);
});
