/** The description as it is served, the base URL in it and in every link, and the health page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { parse } from 'yaml';
import { version } from '../../src/util/version.generated.ts';
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

  test('contains the loopback address that the client used, also behind a tunnel, and no other Host', async () => {
    const { port } = new URL(client.url);
    const forged = { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example', 'X-Forwarded-Port': '666' };
    const serverAt = async (target: string, host: string) => {
      const response = await client.send('GET', target, { headers: { Host: host, ...forged } });
      assert.ok(!/evil|666/.test(`${response.text}${JSON.stringify(response.headers)}`), host);
      return parse(response.text).servers[0].url;
    };
    for (const target of ['/openapi.json', '/openapi.yaml', '/openapi-3.0.json']) {
      for (const name of ['localhost', '127.0.0.1', '[::1]']) {
        for (const host of [name, `${name}:${port}`, `${name}:9000`, `${name}:65535`]) {
          assert.equal(await serverAt(target, host), `http://${host}`);
        }
      }
      assert.equal(await serverAt(target, `LocalHost:${port}`), `http://localhost:${port}`);
      const strange = ['localhost.evil.example', '127.0.0.1.evil.example', '127.0.0.2', '[::]', 'xn--localhost'];
      for (const host of ['evil.example', `evil.example:${port}`, 'localhost:65536', 'localhost:', ...strange]) {
        assert.equal(await serverAt(target, host), '.', host);
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
    assert.deepEqual([response.status, response.text], [200, `{"status":"ok","version":"${version}"}`]);
    assert.equal(response.headers['cache-control'], 'no-store');
  });
});

test('each description leads to the service under any Host, whatever its path', async () => {
  await using service = await startTestService({ sandboxes: 5, events: true });
  const { client } = service;
  for (const path of ['/openapi.json', '/sandbox/openapi.yaml', '/sandbox/openapi.json', '/events/openapi.json']) {
    const { text } = await client.send('GET', path, { token: null, headers: { Host: 'plants.example' } });
    const { servers } = parse(text);
    // OpenAPI 3.1, 4.8.5: a relative URL is relative to the document.
    const server = new URL(servers[0].url, `https://plants.example${path}`).href;
    assert.equal(server, 'https://plants.example/', path);
  }
});

test('each description in YAML is its file in contract/, line by line, except the address of the service', async () => {
  await using service = await startTestService({ sandboxes: 5, events: true });
  const { client } = service;
  const { url } = client;
  const variables = ['    variables:', '      base_url:', '        default: http://127.0.0.1:8080'];
  for (const [path, file, removed, address] of [
    ['/openapi.yaml', 'openapi.yaml', ['  - url: "{base_url}"', ...variables], `  - url: "${url}"`],
    ['/sandbox/openapi.yaml', 'sandbox.yaml', ['  - url: "{base_url}"', ...variables], `  - url: "${url}"`],
    ['/events/openapi.yaml', 'events.yaml', ['  - url: "{base_url}"', ...variables], `  - url: "${url}"`],
    ['/arazzo.yaml', 'workflows.arazzo.yaml', ['    url: openapi.yaml'], `    url: "${url}/openapi.yaml"`],
  ] as const) {
    const source = readFileSync(new URL(`../../contract/${file}`, import.meta.url), 'utf8').split('\n');
    const served = (await client.send('GET', path, { token: null })).text.split('\n');
    const [first, ...others] = removed;
    const expected = source.flatMap((line) => (line === first ? [address] : others.includes(line) ? [] : [line]));
    assert.equal(expected.length, source.length - others.length, file);
    assert.deepEqual(served, expected, file);
  }
});

test('a service that is not on a loopback address names none', async () => {
  await using service = await startTestService({ host: '0.0.0.0' });
  const { text } = await service.client.send('GET', '/openapi.json', { headers: { Host: 'localhost:9000' } });
  assert.equal(parse(text).servers[0].url, '.');
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
