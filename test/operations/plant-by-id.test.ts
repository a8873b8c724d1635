/** GET, HEAD, PUT and DELETE /plants/{id}: ids in paths, entity tags, conditions. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Client, ClientResponse } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** A segment of a path, and the id it means; undefined: it is no id, and the response is 400 / 40006. */
const SEGMENTS: readonly (readonly [segment: string, id: bigint | undefined])[] = [
  ['9223372036854775807', MAX],
  ['-9223372036854775808', MIN],
  ['9007199254740993', 2n ** 53n + 1n],
  ['0', 0n],
  // RFC 3986, 2.3: an encoded unreserved character is the character itself.
  ['%31', 1n],
  ['%2D1', -1n],
  ['9223372036854775808', undefined],
  ['-9223372036854775809', undefined],
  ['99999999999999999999', undefined],
  ['9'.repeat(2_000), undefined],
  ...['007', '00', '-0', '+1', '%2B1', '1.0', '1e3', '1E3', '0x1', '1n', '--1', '-', '1_0', 'NaN', 'one'].map(
    (segment) => [segment, undefined] as const,
  ),
  ...[
    '%20',
    '1%20',
    '%091',
    '1%2F2',
    '%00',
    '1%00',
    '%ff',
    '%zz',
    '%',
    '%EF%BC%91',
    '%D9%A1',
    '..%2F1',
    '1;a=b',
    '*',
  ].map((segment) => [segment, undefined] as const),
];

describe('an id in a path', () => {
  test('is one in plain decimal notation, or 400 / 40006, for every method', async () => {
    await using service = await startTestService();
    const { client } = service;
    for (const [segment, id] of SEGMENTS) {
      if (id !== undefined) await client.send('POST', '/plants', { body: { id, name: `${id}` } });
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { name: `${id}` } : undefined;
        const response = await client.send(method, `/plants/${segment}`, { body });
        const what = `${method} /plants/${segment.slice(0, 40)}`;
        if (id === undefined) {
          assert.equal(response.status, 400, what);
          if (method !== 'HEAD') assert.equal(errorOf(response), 40006, what);
        } else {
          assert.equal(response.status, method === 'DELETE' ? 204 : 200, what);
          if (method === 'GET' || method === 'PUT') {
            const plant = response.json() as { id: bigint | number };
            assert.deepEqual({ ...plant, id: BigInt(plant.id) }, { id, name: `${id}` }, what);
          }
        }
      }
    }
  });

  test('is never empty: that path, and any deeper one, does not exist', async () => {
    await using service = await startTestService();
    for (const path of ['/plants/', '/plants//', '/plants/1/', '/plants/1/2', '/plants//1', '/plant/1', '/Plants/1']) {
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
        assert.equal(errorOf(await service.client.send(method, path)), 40400, `${method} ${path}`);
      }
    }
  });

  test('of no plant is 404 / 40401', async () => {
    await using service = await startTestService();
    for (const [method, body] of [['GET'], ['PUT', { name: 'p' }], ['DELETE']] as const) {
      assert.equal(errorOf(await service.client.send(method, '/plants/-1', { body })), 40401, method);
    }
    assert.equal((await service.client.send('HEAD', '/plants/-1')).status, 404);
    assert.equal((await service.client.send('GET', '/plants')).text, '[]', 'replace never creates');
  });
});

describe('a method', () => {
  test('that a path lacks is 405 with Allow, and OPTIONS answers with Allow', async () => {
    await using service = await startTestService();
    for (const [path, allow] of [
      ['/plants', 'GET, HEAD, OPTIONS, POST'],
      ['/plants/1', 'DELETE, GET, HEAD, OPTIONS, PUT'],
    ] as const) {
      const options = await service.client.send('OPTIONS', path, { token: null });
      assert.equal(options.status, 204);
      assert.equal(options.headers.allow, allow);
      const methods = allow.split(', ');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter(
        (m) => !methods.includes(m),
      )) {
        const response = await service.client.send(method, path, { token: null });
        assert.equal(errorOf(response), 40500, `${method} ${path}`);
        assert.equal(response.headers.allow, allow);
      }
    }
  });

  test('HEAD answers what GET answers, without a body', async () => {
    await using service = await startTestService();
    const { client } = service;
    await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe', tag: 't' } });
    const tag = await tagOf(client, '/plants/1');
    for (const [path, headers] of [
      ['/plants/1', {}],
      ['/plants/1', { 'If-None-Match': tag }],
      ['/plants/2', {}],
      ['/plants/x', {}],
    ] as const) {
      const get = await client.send('GET', path, { headers });
      const head = await client.send('HEAD', path, { headers });
      assert.equal(head.status, get.status);
      assert.equal(head.text, '');
      for (const name of ['etag', 'content-type', 'content-length', 'cache-control']) {
        assert.equal(head.headers[name], get.headers[name], `${name} of ${path}`);
      }
    }
  });
});

describe('an entity tag', () => {
  test('is strong, stays while the plant stays, and changes with it', async () => {
    await using service = await startTestService();
    const { client } = service;
    await client.send('POST', '/plants', { body: { id: 1, name: 'a' } });
    const first = await tagOf(client, '/plants/1');
    assert.match(first, /^"[^"]+"$/);
    await client.send('POST', '/plants', { body: { id: 1, name: 'a' } });
    await client.send('POST', '/plants', { body: { id: 1, name: 'other' } });
    await service.restart();
    assert.equal(await tagOf(client, '/plants/1'), first);
    const replaced = await client.send('PUT', '/plants/1', { body: { name: 'b' } });
    const second = replaced.headers.etag ?? '';
    assert.notEqual(second, first);
    assert.equal(await tagOf(client, '/plants/1'), second, 'replace answers the tag that get answers');
  });

  test('never comes back with another content: not by replacing to and fro, not by deleting and creating', async () => {
    await using service = await startTestService();
    const { client } = service;
    const tags: string[] = [];
    for (let round = 0; round < 10; round++) {
      await client.send('POST', '/plants', { body: { id: 1, name: 'a' } });
      tags.push(await tagOf(client, '/plants/1'));
      for (const name of ['b', 'a'])
        tags.push((await client.send('PUT', '/plants/1', { body: { name } })).headers.etag ?? '');
      assert.equal((await client.send('DELETE', '/plants/1')).status, 204);
      assert.equal((await client.send('GET', '/plants/1')).status, 404);
    }
    assert.equal(new Set(tags).size, tags.length);
    const gone = await client.send('PUT', '/plants/1', { body: { name: 'c' }, headers: { 'If-Match': tags.at(-1) } });
    assert.equal(errorOf(gone), 40401);
    await client.send('POST', '/plants', { body: { id: 1, name: 'a' } });
    for (const old of [...tags.slice(-3), tags.join(', ')]) {
      const response = await client.send('DELETE', '/plants/1', { headers: { 'If-Match': old } });
      assert.equal(errorOf(response), 41200, 'a tag of the plant that was');
    }
  });
});

/** Fields that are neither `*` nor a list of entity tags (RFC 9110, 8.8.3: the W is in upper case). */
const MALFORMED = [
  '',
  'abc',
  '"a',
  'a"',
  '"a" "b"',
  'w/"a"',
  'W/a',
  'W/ "a"',
  '*, "a"',
  '"a", *',
  '**',
  "'a'",
  '"a";',
  ',',
  '"a b"',
];

/** Others, among which no tag is a plant's. */
const WELL_FORMED = ['*', '"x"', 'W/"x"', '"x", "y"', '"x",W/"y"', 'W/"x" , "y"', ', ,"x",,', '""', '"a,b"', '"é"'];

describe('If-None-Match', () => {
  test('that names the current tag, by weak comparison, or anything there is, is 304', async () => {
    await using service = await startTestService();
    const { client } = service;
    await client.send('POST', '/plants', { body: { id: 1, name: 'a' } });
    const tag = await tagOf(client, '/plants/1');
    const naming = [
      tag,
      `W/${tag}`,
      '*',
      ' * ',
      `"x", ${tag}`,
      `"x",${tag},"y"`,
      `W/"x" , W/${tag}`,
      `, ,${tag},,`,
      ['"x"', tag],
    ];
    for (const field of naming) {
      const response = await client.send('GET', '/plants/1', { headers: { 'If-None-Match': field } });
      assert.equal(response.status, 304, String(field));
      assert.equal(response.headers.etag, tag);
      assert.equal(response.headers['content-type'], undefined);
    }
    for (const field of [...WELL_FORMED.slice(1), `"x${tag.slice(1)}`]) {
      const response = await client.send('GET', '/plants/1', { headers: { 'If-None-Match': field } });
      assert.equal(response.status, 200, field);
    }
    for (const field of MALFORMED) {
      const response = await client.send('GET', '/plants/1', { headers: { 'If-None-Match': field } });
      assert.equal(errorOf(response), 40006, JSON.stringify(field));
    }
    assert.equal((await client.send('GET', '/plants/2', { headers: { 'If-None-Match': '*' } })).status, 404);
  });
});

test('an invalid condition is named together with an invalid id', async () => {
  await using service = await startTestService();
  for (const [method, field] of [
    ['GET', 'If-None-Match'],
    ['PUT', 'If-Match'],
    ['DELETE', 'If-Match'],
  ] as const) {
    const response = await service.client.send(method, '/plants/x', { headers: { [field]: 'nope' } });
    assert.equal(errorOf(response), 40006);
    const { message } = response.json() as { message: string };
    assert.match(message, new RegExp(`^id must .+; ${field} must be a string: Entity tags`));
  }
});

test('the description refuses a condition exactly where the service does', async () => {
  await using service = await startTestService();
  const { components } = JSON.parse((await service.client.send('GET', '/openapi.json')).text);
  for (const name of ['IfMatch', 'IfNoneMatch']) {
    const schema = { $ref: `openapi#/components/parameters/${name}/schema` };
    const accepts = new Ajv2020({ strict: false }).addSchema({ components }, 'openapi').compile(schema);
    for (const field of MALFORMED) assert.ok(!accepts(field), `${name}: ${field}`);
    for (const field of WELL_FORMED) assert.ok(accepts(field), `${name}: ${field}`);
  }
});

describe('If-Match', () => {
  test('that names the current tag, by strong comparison, or anything there is, lets replace and delete happen', async () => {
    await using service = await startTestService();
    const { client } = service;
    const naming: ((tag: string) => string | string[])[] = [
      (tag) => tag,
      () => '*',
      (tag) => `"x", ${tag}`,
      (tag) => `W/"x",${tag} ,"y"`,
      (tag) => `,${tag}, `,
      (tag) => ['"x"', tag],
    ];
    for (const field of naming) {
      await client.send('POST', '/plants', { body: { id: 1, name: 'a' } });
      const first = await tagOf(client, '/plants/1');
      const replaced = await client.send('PUT', '/plants/1', {
        body: { name: 'b' },
        headers: { 'If-Match': field(first) },
      });
      assert.equal(replaced.status, 200, String(field(first)));
      const second = replaced.headers.etag ?? '';
      const deleted = await client.send('DELETE', '/plants/1', { headers: { 'If-Match': field(second) } });
      assert.equal(deleted.status, 204, String(field(second)));
    }
  });

  test('that names no current version is 412 / 41200 and changes nothing', async () => {
    await using service = await startTestService();
    const { client } = service;
    await client.send('POST', '/plants', { body: { id: 1, name: 'a' } });
    const before = await client.send('GET', '/plants/1');
    const tag = before.headers.etag ?? '';
    const stale = [
      '"x"',
      '""',
      `W/${tag}`,
      `W/"x", W/${tag}`,
      `"0${tag.slice(1)}`,
      `"${'z'.repeat(40)}"`,
      // 13 digits of base 36 go beyond int64.
      `"${'z'.repeat(13)}"`,
      `"${MAX.toString(36)}"`,
      `"${(MAX + 1n).toString(36)}"`,
      `"${(2n ** 64n).toString(36)}", "x"`,
      '"-1"',
      '"é"',
    ];
    for (const field of stale) {
      const headers = { 'If-Match': field };
      assert.equal(errorOf(await client.send('PUT', '/plants/1', { body: { name: 'b' }, headers })), 41200, field);
      assert.equal(errorOf(await client.send('DELETE', '/plants/1', { headers })), 41200, field);
    }
    for (const field of MALFORMED) {
      const headers = { 'If-Match': field };
      assert.equal(errorOf(await client.send('PUT', '/plants/1', { body: { name: 'b' }, headers })), 40006, field);
      assert.equal(errorOf(await client.send('DELETE', '/plants/1', { headers })), 40006, field);
    }
    const after = await client.send('GET', '/plants/1');
    assert.deepEqual([after.text, after.headers.etag], [before.text, tag]);
  });

  test('on a plant that does not exist is 404, as it would be without the condition (RFC 9110, 13.2.1)', async () => {
    await using service = await startTestService();
    for (const field of ['*', '"x"']) {
      const headers = { 'If-Match': field };
      const replaced = await service.client.send('PUT', '/plants/1', { body: { name: 'b' }, headers });
      assert.equal(errorOf(replaced), 40401);
      assert.equal(errorOf(await service.client.send('DELETE', '/plants/1', { headers })), 40401);
    }
  });

  test('lets exactly one of 100 concurrent replaces happen', async () => {
    await using service = await startTestService();
    const { client } = service;
    await client.send('POST', '/plants', { body: { id: 1, name: 'a' } });
    for (let round = 0; round < 3; round++) {
      const tag = await tagOf(client, '/plants/1');
      const responses = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          client.send('PUT', '/plants/1', { body: { name: `rival ${i}` }, headers: { 'If-Match': tag } }),
        ),
      );
      assert.deepEqual(countStatuses(responses), { 200: 1, 412: 99 });
      const winner = responses.find(({ status }) => status === 200);
      assert.equal((await client.send('GET', '/plants/1')).text, winner?.text);
    }
  });

  test('lets exactly one of concurrent replaces and deletes happen', async () => {
    await using service = await startTestService();
    const { client } = service;
    for (let round = 0; round < 10; round++) {
      await client.send('POST', '/plants', { body: { id: round, name: 'a' } });
      const headers = { 'If-Match': await tagOf(client, `/plants/${round}`) };
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i + round) % 2 === 0
            ? client.send('PUT', `/plants/${round}`, { body: { name: 'b' }, headers })
            : client.send('DELETE', `/plants/${round}`, { headers }),
        ),
      );
      assert.equal(responses.filter(({ status }) => status < 300).length, 1);
    }
  });
});

test('a condition that the description does not name for an operation is ignored', async () => {
  await using service = await startTestService();
  const { client } = service;
  await client.send('POST', '/plants', { body: { id: 1, name: 'a' } });
  const date = new Date(0).toUTCString();
  const read = await client.send('GET', '/plants/1', { headers: { 'If-Match': '"x"', 'If-Unmodified-Since': date } });
  assert.equal(read.status, 200);
  const headers = { 'If-None-Match': '*', 'If-Unmodified-Since': date };
  assert.equal((await client.send('PUT', '/plants/1', { body: { name: 'b' }, headers })).status, 200);
  assert.equal((await client.send('DELETE', '/plants/1', { headers })).status, 204);
});

function errorOf(response: ClientResponse): number {
  assert.ok(response.status >= 400, `${response.status} ${response.text}`);
  return (response.json() as { error: number }).error;
}

async function tagOf(client: Client, path: string): Promise<string> {
  const response = await client.send('GET', path);
  assert.equal(response.status, 200);
  return response.headers.etag ?? '';
}

function countStatuses(responses: readonly ClientResponse[]): Record<string, number> {
  const groups = Map.groupBy(responses, ({ status }) => status);
  return Object.fromEntries([...groups].map(([status, group]) => [status, group.length]));
}
