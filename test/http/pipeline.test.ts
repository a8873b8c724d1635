/** The pipeline: the order of checks, and the fields of every response. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { parse } from 'yaml';
import { version } from '../../src/util/version.generated.ts';
import { operations } from '../contract/document.ts';
import { type Call, createClient, errorOf } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';
import { exchange } from './raw-client.ts';

/** The request header fields of all operations. */
const FIELDS = operations.flatMap(({ parameters }) =>
  parameters.filter((one) => one.in === 'header').map(({ name }) => name),
);

describe('the order of checks', async () => {
  const service = await startTestService();
  const reader = await service.as({ scopes: ['plants:read'] });
  const expired = await service.as({ expiresAt: 1 });
  const { client } = service;
  after(() => service[Symbol.asyncDispose]());
  const TOO_LARGE = ' '.repeat(70_000);

  // Each request breaks several rules. The response names the rule that is checked first.
  const cases: readonly [string, number, string, string, Call][] = [
    ['the path, before the credential', 40400, 'POST', '/nowhere', { token: null, body: '{' }],
    ['the path, before the method', 40400, 'PATCH', '/nowhere', {}],
    ['the method, before the credential', 40500, 'PATCH', '/plants', { token: null }],
    ['the method, before the parameters', 40500, 'POST', '/plants/abc', { token: 'wrong' }],
    ['the credential, before the body', 40100, 'POST', '/plants', { token: null, body: TOO_LARGE }],
    ['the credential, before the parameters', 40101, 'GET', '/plants?limit=0', { token: 'wrong' }],
    ['the expiry, before the body', 40102, 'POST', '/plants', { token: expired.token, body: '{' }],
    ['the scope, before the body', 40300, 'POST', '/plants', { token: reader.token, body: TOO_LARGE }],
    ['the scope, before the parameters', 40300, 'DELETE', '/plants/abc', { token: reader.token }],
    ['the parameters, before the body', 40006, 'PUT', '/plants/abc', { body: '{' }],
    ['a condition, before the body', 40006, 'PUT', '/plants/1', { body: '{}', headers: { 'If-Match': 'nope' } }],
    ['a condition, before an absent body', 40006, 'PUT', '/plants/1', { headers: { 'If-Match': 'nope' } }],
    ['the presence of a body, before its media type', 40001, 'POST', '/plants', { headers: { 'Content-Type': 'x' } }],
    [
      'the media type, before the size',
      40002,
      'POST',
      '/plants',
      { body: TOO_LARGE, headers: { 'Content-Type': 'text/plain' } },
    ],
    ['the size, before the syntax', 40003, 'POST', '/plants', { body: TOO_LARGE }],
    ['the syntax, before the schema', 40004, 'POST', '/plants', { body: '{"id":"1"' }],
    ['the schema', 40005, 'POST', '/plants', { body: '{"id":"1"}' }],
  ];
  for (const [what, error, method, target, call] of cases) {
    test(`checks ${what}`, async () => {
      assert.equal(errorOf(await client.send(method, target, call)), error);
    });
  }

  test('a 404 suggests the path that was probably meant, and repeats nothing unsafe', async () => {
    const near = {
      '/plants/': '/plants',
      '/plant': '/plants',
      '/plant/12': '/plants/12',
      '/openapi.jsn': '/openapi.json',
    };
    const messageAt = async (target: string) => {
      const { message } = (await client.send('GET', target)).json() as { message: string };
      return message;
    };
    for (const [target, meant] of Object.entries(near)) {
      const expected = `No such path: ${target}. Did you mean ${meant}? /openapi.json describes the paths that exist.`;
      assert.equal(await messageAt(target), expected);
    }
    assert.equal(await messageAt('/nowhere'), 'No such path: /nowhere. /openapi.json describes the paths that exist.');
    assert.equal(
      await messageAt('/sandboxes'),
      'No such path: /sandboxes. Only a service with the option --sandboxes has such a path.',
    );
    const others = globSync('contract/*.yaml').filter((file) => file !== 'contract/openapi.yaml');
    const paths = others.flatMap((file) => Object.keys(parse(readFileSync(file, 'utf8')).paths ?? {}));
    assert.ok(paths.length > 10);
    for (const path of paths) {
      const target = path.replaceAll(/\{\w+\}/g, '1');
      assert.match(await messageAt(target), / Only a service with the option --[a-z]+ has such a path\.$/);
    }
    for (const target of ['/%3Cscript%3E', `/${'p'.repeat(100)}`]) {
      assert.equal(await messageAt(target), 'No such path. /openapi.json describes the paths that exist.');
    }
  });

  test('a path that does not exist gets 404 for every method', async () => {
    const targets =
      '/plant /plants/ /plants// /plants/1/ /plants/1/2 /plants//1 //plants /Plants /Plants/1 /plants%2F1';
    for (const target of targets.split(' ')) {
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
        assert.equal(errorOf(await client.send(method, target)), 40400, `${method} ${target}`);
      }
    }
  });

  for (const [target, allow] of [
    ['/plants', 'GET, HEAD, OPTIONS, POST'],
    ['/plants/1', 'DELETE, GET, HEAD, OPTIONS, PUT'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/openapi.yaml', 'GET, HEAD, OPTIONS'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
    ['/', 'GET, HEAD, OPTIONS'],
  ] as const) {
    test(`${target} names its methods in 405 and in the response to OPTIONS`, async () => {
      const refused = await client.send('PATCH', target, { token: null });
      assert.equal(errorOf(refused), 40500);
      assert.equal(refused.headers.allow, allow);
      const brew = `BREW ${target}?a=b HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      const unknown = await exchange(Number(new URL(client.url).port), [brew], 1);
      const [response] = unknown.responses;
      assert.deepEqual([response?.status, response?.headers['allow']], [405, allow]);
    });
    test(`OPTIONS of ${target} needs no credential`, async () => {
      const response = await client.send('OPTIONS', target, { token: null });
      assert.deepEqual([response.status, response.text, response.headers.allow], [204, '', allow]);
    });
  }

  const preflight = (method: string, target: string) =>
    client.send('OPTIONS', target, {
      token: null,
      headers: {
        Origin: 'https://garden.example',
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });
  for (const [method, target, maxAge] of [
    ['POST', '/plants', '7200'],
    ['DELETE', '/plants/1', '7200'],
    ['GET', '/openapi.json', '7200'],
    ['DELETE', '/plants', '0'],
    ['POST', '/openapi.json', '0'],
    ['PURGE', '/plants', '0'],
    ['GET', '/plnats', '0'],
  ] as const) {
    test(`a preflight for ${method} ${target} allows the method`, async () => {
      const response = await preflight(method, target);
      assert.deepEqual([response.status, response.text, response.headers.allow], [204, '', undefined]);
      assert.equal(response.headers['access-control-allow-methods'], method);
      assert.equal(response.headers['access-control-max-age'], maxAge);
      const sent = new Set(response.headers['access-control-allow-headers']?.split(', '));
      for (const name of ['*', 'Authorization', 'Content-Type', 'X-Request-Id', ...FIELDS])
        assert.ok(sent.has(name), name);
    });
  }

  test('a preflight for a malformed method does not repeat it', async () => {
    const response = await preflight('GET, DELETE', '/plants');
    assert.deepEqual([response.status, response.headers['access-control-allow-methods']], [204, 'GET, HEAD, OPTIONS']);
  });

  test('OPTIONS of an unknown path gets 404 without Origin or without the method', async () => {
    for (const headers of [{ Origin: 'https://garden.example' }, { 'Access-Control-Request-Method': 'GET' }]) {
      assert.equal(errorOf(await client.send('OPTIONS', '/plnats', { token: null, headers })), 40400);
    }
  });

  test('HEAD gets the response to GET, without the body', async () => {
    for (const id of [1, 2]) await client.send('POST', '/plants', { body: { id, name: 'Aloe' } });
    const seen = (await client.send('GET', '/plants/1')).headers.etag;
    const conditional = { 'If-None-Match': seen };
    const targets =
      '/ /plants /plants?limit=1 /plants/1 /openapi.json /openapi.yaml /healthz /plants/404 /plants/x /no';
    for (const [target, headers] of [
      ...targets.split(' ').map((one) => [one, {}] as const),
      ['/plants/1', conditional] as const,
    ]) {
      const got = await client.send('GET', target, { headers });
      const head = await client.send('HEAD', target, { headers });
      assert.deepEqual([head.status, head.text], [got.status, ''], target);
      for (const name of ['content-type', 'content-length', 'etag', 'link', 'cache-control']) {
        assert.equal(head.headers[name], got.headers[name], `${name} of ${target}`);
      }
    }
    assert.equal((await client.send('HEAD', '/plants', { token: null })).status, 401);
  });

  test('a page of another origin may read every header field that is meant for clients', async () => {
    const response = await client.send('GET', '/plants');
    const exposed = String(response.headers['access-control-expose-headers']).split(', ');
    const fields = ['ETag', 'Link', 'Location', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate'];
    for (const field of [...fields, 'X-Request-Id']) assert.ok(exposed.includes(field), field);
    assert.equal(new Set(exposed).size, exposed.length);
  });

  test("every response has the client's X-Request-Id if it is sane, else a new one", async () => {
    const idOf = async (target: string, id?: string) => {
      const { headers } = await client.send('GET', target, { headers: { 'X-Request-Id': id } });
      return String(headers['x-request-id']);
    };
    for (const sane of ['a', 'A.b_c~d-9', 'x'.repeat(128)]) {
      for (const target of ['/plants', '/no']) assert.equal(await idOf(target, sane), sane);
    }
    const insane = ['', 'x'.repeat(129), 'a b', 'a\tb', '<script>', 'é', '"a"', 'a,b', 'a:b', undefined, undefined];
    const made = await Promise.all(insane.map((id) => idOf('/plants', id)));
    for (const id of made) assert.match(id, /^[0-9a-f]{12}-[0-9a-z]+$/);
    assert.equal(new Set(made).size, insane.length);
  });

  test('a body changes neither the response to GET or DELETE nor the next response', async () => {
    for (const method of ['GET', 'DELETE']) {
      assert.equal(errorOf(await client.send(method, '/plants/404', { body: 'x'.repeat(70_000) })), 40401);
      assert.equal((await client.send('GET', '/healthz')).text, `{"status":"ok","version":"${version}"}`);
    }
  });

  test('percent-encoded unreserved characters do not change a path', async () => {
    assert.equal((await client.send('GET', '/pl%61nts')).status, 200);
    assert.equal((await client.send('GET', '/plants/%31')).status, 200);
    for (const target of ['/%68ealth%7A', '/%72%65adyz', '/%6Fpenapi%2Ejson', '/openapi%2eyaml']) {
      assert.equal((await client.send('GET', target)).status, 200, target);
    }
    for (const prefix of ['/a~b%2F', '/a%7Eb%2f']) {
      await using prefixed = await startTestService({ baseUrl: `https://garden.example${prefix}` });
      const root = new URL(prefixed.client.url).origin;
      const elsewhere = createClient(root, prefixed.client.token);
      for (const target of ['/a%7Eb%2F/%70lants', '/a~b%2f/plants', '/a%7eb%2F']) {
        assert.equal((await elsewhere.send('GET', target)).status, 200, `${target} below ${prefix}`);
      }
      elsewhere.close();
    }
  });

  test('an encoded reserved character differs from the character itself, and is decoded only once', async () => {
    for (const target of ['/%2Fplants', '/plants%3Flimit=1', '/%2570lants', '/%%370lants', '/%25healthz']) {
      assert.equal(errorOf(await client.send('GET', target)), 40400, target);
    }
    for (const target of ['/plants/%%331', '/plants/%2531', '/plants/%3%31']) {
      assert.equal(errorOf(await client.send('GET', target)), 40006, target);
    }
  });

  test('an empty path means /, and for OPTIONS the whole service', async () => {
    const front = await client.send('GET', '/');
    for (const target of ['http://localhost', 'HTTP://LOCALHOST:80', 'http://localhost?a=b']) {
      const response = await client.send('GET', target);
      assert.deepEqual([response.status, response.text], [front.status, front.text], target);
    }
    const allowed = async (target: string) => (await client.send('OPTIONS', target, { token: null })).headers.allow;
    for (const target of ['*', 'http://localhost']) {
      assert.equal(await allowed(target), 'DELETE, GET, HEAD, OPTIONS, POST, PUT');
    }
    assert.equal(await allowed('http://localhost/plants'), 'GET, HEAD, OPTIONS, POST');
  });
});

describe('an overloaded store', () => {
  test('responds with 503 / 50301 and Retry-After to writes beyond its queue, and stores none of them', async () => {
    await using service = await startTestService({ maxQueue: 1 });
    const bodies = Array.from({ length: 100 }, (_, id) => ({ id, name: 'Aloe' }));
    const responses = await Promise.all(bodies.map((body) => service.client.send('POST', '/plants', { body })));
    const refused = responses.filter(({ status }) => status === 503);
    const stored = bodies.filter((_, i) => responses[i]?.status === 200);
    assert.ok(refused.length > 0);
    assert.ok(stored.length > 0);
    assert.equal(refused.length + stored.length, 100);
    for (const response of refused) {
      assert.equal(errorOf(response), 50301);
      assert.equal(response.headers['retry-after'], '1');
    }
    const listed = (await service.client.send('GET', '/plants?limit=1000')).json();
    assert.deepEqual(listed, stored);
    const again = await service.client.send('POST', '/plants', { body: { id: 1_000, name: 'Aloe' } });
    assert.equal(again.status, 200);
  });
});
