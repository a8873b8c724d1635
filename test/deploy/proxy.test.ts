/** The example of docs/proxy.md in a real nginx, and the sizes that the page gives. Without nginx, only the sizes. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { startFront } from '../../lab/proof/smuggling/fronts.ts';
import { openStream } from '../features/events/reader.ts';
import { createDirectory } from '../harness/directory.ts';
import { startTestService } from '../harness/service.ts';

const PAGE = readFileSync(new URL('../../docs/proxy.md', import.meta.url), 'utf8');
/** In bytes. */
const sizeIn = (pattern: RegExp) => Number(pattern.exec(PAGE)?.[1]?.replace(',', '')) * 1_024;
/** As long as a tag can be in a URL: each character is 12 bytes. */
const LONGEST_TAG = encodeURIComponent('🌱'.repeat(1_024));
const BASE_URL = `https://plants.example.com/${'a'.repeat(200)}`;

test('docs/proxy.md gives the size that the longest response head needs, and its nginx has that much', async () => {
  // Every part that adds fields, and the longest values of all fields.
  await using service = await startTestService({
    baseUrl: BASE_URL,
    events: true,
    sandboxes: 10,
    rateLimit: { quota: 1_000_000_000, window: 86_400 },
  });
  const { client } = service;
  const ids = [-(2n ** 63n), -(2n ** 63n) + 1n, 5n];
  const tag = '🌱'.repeat(1_024);
  for (const id of ids) await client.send('POST', '/plants', { body: { id, name: 'Aloe', tag } });
  const headOf = async (target: string) => {
    const socket = connect(service.running.address.port, '127.0.0.1');
    const fields = [
      `Authorization: Bearer ${client.token}`,
      'Host: x',
      `X-Request-Id: ${'r'.repeat(128)}`,
      'Connection: close',
    ];
    socket.end(`GET ${new URL(BASE_URL).pathname}${target} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
    const [head = ''] = (await text(socket)).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 200 [\s\S]*\r\nLink: /);
    return Buffer.byteLength(head) + 4;
  };
  const first = await client.send('GET', `/plants?limit=1&tag=${LONGEST_TAG}`);
  const cursor = /[?&]after=([^&>]+)/.exec(String(first.headers['link']))?.[1];
  const page = await headOf(`/plants?limit=1&after=${cursor}&tag=${LONGEST_TAG}`);
  const longest = Math.max(page, await headOf('/events?limit=1&wait=30'));
  const needed = sizeIn(/longest response head has (\d+) KiB/);
  assert.ok(longest <= needed && longest > needed - 1_024, `the longest head has ${longest} bytes`);
  assert.ok(sizeIn(/proxy_buffer_size (\d+)k;/) >= needed);
  // The longest request of this kind must arrive, too.
  assert.ok(sizeIn(/large_client_header_buffers \d+ (\d+)k;/) >= needed);
});

const hasNginx = existsSync('/usr/sbin/nginx');

describe('behind the nginx of docs/proxy.md', { skip: !hasNginx && 'this machine has no nginx' }, async () => {
  if (!hasNginx) return;
  const directory = createDirectory();
  const service = await startTestService({ events: true });
  const front = await startFront('nginx', service.running.address.port, directory.path);
  after(async () => {
    await front.close();
    await service[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });
  const { client } = service;
  const url = `http://127.0.0.1:${front.port}`;

  for (const [what, tag] of [
    ['600 é', encodeURIComponent('é'.repeat(600))],
    ['the longest tag', LONGEST_TAG],
  ] as const) {
    test(`a page of plants with ${what} arrives with its Link`, async () => {
      for (const id of [1, 2]) {
        await client.send('PUT', `/plants/${id}`, { body: { id, name: 'Aloe', tag: decodeURIComponent(tag) } });
        await client.send('POST', '/plants', { body: { id, name: 'Aloe', tag: decodeURIComponent(tag) } });
      }
      const headers = { Authorization: `Bearer ${client.token}` };
      const page = await fetch(`${url}/plants?limit=1&tag=${tag}`, { headers });
      assert.equal(page.status, 200);
      assert.ok(page.headers.get('link')?.includes(tag));
    });
  }

  for (const type of ['text/event-stream', 'application/jsonl']) {
    test(`a stream of ${type} arrives event by event`, async () => {
      using stream = await openStream({ url, token: client.token }, '/events?after=latest', type);
      assert.equal(stream.status, 200);
      for (const id of [100, 101]) {
        await client.send('POST', '/plants', { body: { id, name: 'Aloe' } });
        await stream.until((text) => text.includes(`"id":${id},`));
        await client.send('DELETE', `/plants/${id}`);
      }
    });
  }
});
