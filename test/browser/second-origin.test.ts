import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startTestService } from '../harness/service.ts';
import { DESKTOP, openBrowser, openPage } from './browser.ts';

/** The script of a page of another origin. It returns what it could read of each response. */
const SCRIPT = `async ({ url, token }) => {
  const read = async (path, init = {}) => {
    const headers = { Authorization: 'Bearer ' + token, ...init.headers };
    const response = await fetch(url + path, { ...init, headers });
    const fields = Object.fromEntries(response.headers);
    return { status: response.status, fields, body: await response.text() };
  };
  const create = (body) => read('/plants', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const created = await create('{"id": 12, "name": "Aloe vera", "tag": "succulent"}');
  await create('{"id": 13, "name": "Agave"}');
  // Header fields that tracers and clients add, and that no operation declares.
  const added = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'X-Client': 'garden' };
  const got = await read('/plants/12', { headers: added });
  const replace = (tag) => read('/plants/12', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'If-Match': tag },
    body: '{"name": "Aloe vera", "tag": "medicinal"}',
  });
  return {
    created,
    got,
    page: await read('/plants?limit=1'),
    replaced: await replace(got.fields.etag),
    stale: await replace(got.fields.etag),
    refused: await create('{"id": 12, "name": "Agave"}'),
    stranger: await read('/plants', { headers: { Authorization: 'Bearer nobody' } }),
    deleted: await read('/plants/12', { method: 'DELETE' }),
    nowhere: await read('/nowhere'),
    unsupported: await read('/plants', { method: 'DELETE' }),
  };
}`;

interface Read {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

test('a page of another origin stores plants, and reads ETag, Link, Location and errors', async () => {
  await using service = await startTestService();
  const { client } = service;
  const other = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><link rel="icon" href="data:,">');
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const origin = `http://localhost:${(other.address() as AddressInfo).port}`;
  const browser = await openBrowser();
  try {
    const { page, assertQuiet } = await openPage(browser, DESKTOP, [origin, client.url]);
    await page.goto(origin);
    const said = (await page.evaluate(`(${SCRIPT})(${JSON.stringify({ url: client.url, token: client.token })})`)) as {
      readonly [name: string]: Read;
    };
    const { created, got, page: list, replaced, stale, refused, stranger, deleted, nowhere, unsupported } = said;
    assert.deepEqual([created?.status, created?.body], [200, '{"name":"Aloe vera","tag":"succulent"}']);
    assert.equal(created?.fields['location'], '/plants/12');
    assert.match(got?.fields['etag'] ?? '', /^"[^"]+"$/);
    assert.match(list?.fields['link'] ?? '', /rel="next"/);
    assert.equal(replaced?.status, 200);
    assert.deepEqual([stale?.status, errorOf(stale)], [412, 41200]);
    assert.deepEqual([refused?.status, errorOf(refused)], [400, 40009]);
    assert.deepEqual([stranger?.status, errorOf(stranger)], [401, 40101]);
    assert.match(stranger?.fields['www-authenticate'] ?? '', /invalid_token/);
    assert.equal(deleted?.status, 204);
    assert.deepEqual([nowhere?.status, errorOf(nowhere)], [404, 40400]);
    assert.deepEqual([unsupported?.status, errorOf(unsupported)], [405, 40500]);
    for (const response of Object.values(said)) assert.ok(response.fields['x-request-id']);
    assertQuiet(/the server responded with a status of 4/);
  } finally {
    other.close();
  }
});

function errorOf(response: Read | undefined): unknown {
  return JSON.parse(response?.body ?? '').error;
}
