/** The description as it is served, the base URL in it and in every link, and the health page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { parse } from 'yaml';
import { createClient } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';

const SOURCE = readFileSync(new URL('../../contract/openapi.yaml', import.meta.url), 'utf8');
const exact = { intAsBigInt: true };

/** The description with this address of its server. Integers are bigint. */
function describeAt(url: string): unknown {
  const document = parse(SOURCE, exact);
  const [{ description }] = document.servers;
  document.servers = [{ description, url }];
  return document;
}

describe('the served description', async () => {
  const service = await startTestService();
  const { client } = service;
  after(() => service[Symbol.asyncDispose]());

  for (const [target, type] of [
    ['/openapi.json', 'application/json'],
    ['/openapi.yaml', 'application/yaml'],
  ] as const) {
    test(`${target} is the description with the bound address, without a credential`, async () => {
      const response = await client.send('GET', target, { token: null });
      assert.equal(response.status, 200);
      assert.equal(response.headers['content-type'], type);
      assert.deepEqual(parse(response.text, exact), describeAt(client.url));
    });

    test(`${target} writes the bounds of int64 exactly`, async () => {
      const { text } = await client.send('GET', target);
      assert.match(text, /minimum"?: -9223372036854775808\b/);
      assert.match(text, /maximum"?: 9223372036854775807\b/);
      assert.doesNotMatch(text, /922337203685477(?:6000|5807\.0)|9\.22/);
    });

    test(`${target} is revalidated by its entity tag`, async () => {
      const { headers } = await client.send('GET', target);
      const etag = headers.etag ?? '';
      assert.match(etag, /^"[\w-]{27}"$/);
      assert.equal(headers['cache-control'], 'private, no-cache');
      for (const field of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await client.send('GET', target, { headers: { 'If-None-Match': field } });
        assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag], field);
      }
      for (const field of ['"other"', '"a,*,b"']) {
        const other = await client.send('GET', target, { headers: { 'If-None-Match': field } });
        assert.equal(other.status, 200, field);
      }
    });
  }

  test('contains the address that the client used, and ignores any other Host', async () => {
    const { port } = new URL(client.url);
    const serverAt = async (target: string, host: string) => {
      const response = await client.send('GET', target, {
        headers: { Host: host, 'X-Forwarded-Host': 'evil.example' },
      });
      assert.ok(!`${response.text}${JSON.stringify(response.headers)}`.includes('evil'), host);
      return parse(response.text).servers[0].url;
    };
    for (const target of ['/openapi.json', '/openapi.yaml', '/openapi-3.0.json']) {
      assert.equal(await serverAt(target, `localhost:${port}`), `http://localhost:${port}`);
      for (const host of [`127.0.0.1:${port}`, 'evil.example', `evil.example:${port}`, 'localhost', 'localhost:1']) {
        assert.equal(await serverAt(target, host), client.url);
      }
    }
  });

  test('no response of any kind repeats a Host', async () => {
    const headers = { Host: 'evil.example' };
    await client.send('POST', '/plants', { body: { id: 5, name: 'Aloe' }, headers });
    for (const target of ['/', '/plants', '/plants/5', '/no', '/healthz', '/guide/first-request', '/plants?limit=x']) {
      const response = await client.send('GET', target, { headers });
      assert.ok(!`${response.text}${JSON.stringify(response.headers)}`.includes('evil'), target);
    }
  });

  test('/healthz contains the version and needs no credential', async () => {
    const response = await client.send('GET', '/healthz', { token: null });
    assert.deepEqual([response.status, response.text], [200, '{"status":"ok","version":"1.0.0"}']);
    assert.equal(response.headers['cache-control'], 'no-store');
  });
});

describe('a service with a base URL that has a prefix', async () => {
  const BASE = 'https://garden.example/store/v1';
  const service = await startTestService({ baseUrl: BASE });
  const { client } = service;
  after(() => service[Symbol.asyncDispose]());

  test('has the base URL in Location, in Link and in the description', async () => {
    for (const id of [1, 2]) {
      const created = await client.send('POST', '/plants', { body: { id, name: 'Aloe' } });
      assert.equal(created.headers.location, `${BASE}/plants/${id}`);
    }
    const listed = await client.send('GET', '/plants?limit=1');
    const next = /^<(.*)>; rel="next"$/.exec(listed.headers['link'] as string)?.[1] ?? '';
    assert.ok(next.startsWith(`${BASE}/plants?limit=1&after=`));
    const second = await client.send('GET', next.slice(BASE.length));
    assert.deepEqual(second.json(), [{ id: 2, name: 'Aloe' }]);
    for (const target of ['/openapi.json', '/openapi.yaml']) {
      assert.deepEqual(parse((await client.send('GET', target)).text, exact), describeAt(BASE));
    }
  });

  test('names the path of the description when a path does not exist', async () => {
    const { origin } = new URL(client.url);
    const outside = createClient(origin, client.token);
    const { message } = (await outside.send('GET', '/no')).json() as { message: string };
    const named = /(\S+) describes/.exec(message)?.[1] ?? '';
    assert.equal((await outside.send('GET', named)).status, 200, message);
    outside.close();
  });

  for (const target of ['/plants', '/plants/1', '/openapi.json', '/healthz', '/store', '/store/v10/plants']) {
    test(`does not respond outside the prefix, at ${target}`, async () => {
      const outside = createClient(new URL(target, client.url).href, client.token);
      assert.equal((await outside.send('GET', '')).status, 404);
      outside.close();
    });
  }
});
