/** Tests GET, HEAD, PUT and DELETE /plants/{id}: ids in paths, entity tags and conditions. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type ClientResponse, errorOf } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** Segments of a path, and their ids. */
const IDS: readonly (readonly [segment: string, id: bigint])[] = [
  ['9223372036854775807', MAX],
  ['-9223372036854775808', MIN],
  ['9007199254740993', 2n ** 53n + 1n],
  ['0', 0n],
  // RFC 3986, section 2.3: an encoded unreserved character means the character.
  ['%31', 1n],
  ['%2D1', -1n],
];
/** Segments that are not ids. */
const NO_IDS = [
  ...['9223372036854775808', '-9223372036854775809', '99999999999999999999', '9'.repeat(2_000)],
  ...'007 00 -0 +1 %2B1 1.0 1e3 1E3 0x1 1n --1 - 1_0 NaN one'.split(' '),
  ...'%20 1%20 %091 1%2F2 %00 1%00 %ff %zz % %EF%BC%91 %D9%A1 ..%2F1 1;a=b *'.split(' '),
];

const service = await startTestService();
const { client } = service;
after(() => service[Symbol.asyncDispose]());
let last = 1_000;

/** Creates a new plant with the name `a`. */
async function plant() {
  const id = ++last;
  const path = `/plants/${id}`;
  const create = () => client.send('POST', '/plants', { body: { id, name: 'a' } });
  const get = (ifNoneMatch?: string | string[]) =>
    client.send('GET', path, { headers: { 'If-None-Match': ifNoneMatch } });
  const replace = (ifMatch?: string | string[], name = 'b') =>
    client.send('PUT', path, { body: { name }, headers: { 'If-Match': ifMatch } });
  const remove = (ifMatch?: string | string[]) => client.send('DELETE', path, { headers: { 'If-Match': ifMatch } });
  const tag = async () => tagOf(await get());
  assert.equal((await create()).status, 200);
  return { id, create, get, replace, remove, tag };
}

describe('an id in a path', () => {
  test('is an integer in plain decimal notation', async () => {
    for (const [segment, id] of IDS) {
      const stored = { id: Number.isSafeInteger(Number(id)) ? Number(id) : id, name: `${id}` };
      await client.send('POST', '/plants', { body: { id, name: `${id}` } });
      for (const [method, status, body, json] of [
        ['GET', 200, undefined, stored],
        ['HEAD', 200],
        ['PUT', 200, { name: 'new' }, { ...stored, name: 'new' }],
        ['DELETE', 204],
      ] as const) {
        const response = await client.send(method, `/plants/${segment}`, { body });
        assert.equal(response.status, status, `${method} ${segment}`);
        if (json !== undefined) assert.deepEqual(response.json(), json);
      }
    }
  });

  for (const [method, body] of [['GET'], ['HEAD'], ['PUT', { name: 'a' }], ['DELETE']] as const) {
    test(`returns 400 / 40006 for ${method} if it is anything else, and 404 / 40401 if no plant has it`, async () => {
      for (const segment of NO_IDS) {
        const response = await client.send(method, `/plants/${segment}`, { body });
        assert.equal(response.status, 400, segment);
        if (method !== 'HEAD') assert.equal(errorOf(response), 40006, segment);
      }
      const none = await client.send(method, '/plants/-1', { body });
      assert.equal(none.status, 404);
      if (method !== 'HEAD') assert.equal(errorOf(none), 40401);
      assert.equal((await client.send('GET', '/plants/-1')).status, 404, 'replace never creates');
    });
  }
});

describe('an entity tag', () => {
  test('is strong, and changes exactly when the plant changes', async () => {
    const { id, create, get, replace, tag } = await plant();
    const first = await tag();
    assert.match(first, /^"[^"]+"$/);
    await create();
    await client.send('POST', '/plants', { body: { id, name: 'other' } });
    await service.restart();
    assert.equal(await tag(), first);
    const second = tagOf(await replace());
    assert.notEqual(second, first);
    assert.equal(tagOf(await get()), second, 'replace responds with the tag of get');
  });

  test('never comes back with other content, even after replacing, or deleting and creating', async () => {
    const { create, get, replace, remove, tag } = await plant();
    const tags: string[] = [];
    for (let round = 0; round < 10; round++) {
      await create();
      tags.push(await tag());
      for (const name of ['b', 'a']) tags.push(tagOf(await replace(undefined, name)));
      assert.equal((await remove()).status, 204);
      assert.equal((await get()).status, 404);
    }
    assert.equal(new Set(tags).size, tags.length);
    assert.equal(errorOf(await replace(tags.at(-1))), 40401);
    await create();
    for (const old of [...tags.slice(-3), tags.join(', ')]) {
      assert.equal(errorOf(await remove(old)), 41200, 'a tag of the plant that was');
    }
  });
});

/** Values that are neither `*` nor a list of entity tags (RFC 9110, 8.8.3: the W is in upper case). */
const MALFORMED = [
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
  ',*',
  '"a b"',
  '"é"',
];

/** Lists without a tag (RFC 9110, 5.6.1): nothing matches. */
const EMPTY = ['', ',', ' ,  ,,', ',\t,'];

/** Valid values without the entity tag of a plant. */
const WELL_FORMED = ['*', ...EMPTY, '"x"', 'W/"x"', '"x", "y"', '"x",W/"y"', 'W/"x" , "y"', ', ,"x",,', '""', '"a,b"'];

test('If-None-Match returns 304 if it lists the current tag, compared weakly, or is *', async () => {
  const { get, tag: current } = await plant();
  const tag = await current();
  const naming = [
    tag,
    `W/${tag}`,
    '*',
    ' * ',
    `"x", ${tag}`,
    `"x",${tag},"y"`,
    `W/"x" , W/${tag}`,
    `, ,${tag},,`,
    `"x",\t${tag}`,
  ];
  for (const field of [...naming, ['"x"', tag]]) {
    const response = await get(field);
    assert.equal(response.status, 304, String(field));
    assert.equal(response.headers.etag, tag);
    assert.equal(response.headers['content-type'], undefined);
  }
  for (const field of [...WELL_FORMED.slice(1), `"x${tag.slice(1)}`])
    assert.equal((await get(field)).status, 200, field);
  for (const field of MALFORMED) assert.equal(errorOf(await get(field)), 40006, JSON.stringify(field));
  assert.equal((await client.send('GET', '/plants/-2', { headers: { 'If-None-Match': '*' } })).status, 404);
});

test('the error names an invalid condition together with an invalid id', async () => {
  for (const [method, field] of [
    ['GET', 'If-None-Match'],
    ['PUT', 'If-Match'],
    ['DELETE', 'If-Match'],
    ['PUT', 'If-None-Match'],
    ['DELETE', 'If-None-Match'],
  ] as const) {
    const response = await client.send(method, '/plants/x', { headers: { [field]: 'nope' } });
    assert.equal(errorOf(response), 40006);
    const { message } = response.json() as { message: string };
    assert.match(message, new RegExp(`^id must .+; ${field} must be a string: entity tags`));
  }
});

test('the description and the service refuse the same conditions', async () => {
  const { components } = JSON.parse((await client.send('GET', '/openapi.json')).text);
  for (const name of ['IfMatch', 'IfNoneMatch']) {
    const schema = { $ref: `openapi#/components/parameters/${name}/schema` };
    const accepts = new Ajv2020({ strict: false }).addSchema({ components }, 'openapi').compile(schema);
    for (const field of MALFORMED) assert.ok(!accepts(field), `${name}: ${field}`);
    // The service reads a tab like a space, and Node removes blanks around a field.
    const written = WELL_FORMED.map((field) => field.replaceAll('\t', ' ').trim());
    for (const field of written) assert.ok(accepts(field), `${name}: ${field}`);
  }
});

describe('If-Match', () => {
  test('permits replacing and deleting if it lists the current tag, compared strongly, or is *', async () => {
    const { create, replace, remove, tag } = await plant();
    const naming: ((tag: string) => string | string[])[] = [
      (tag) => tag,
      () => '*',
      (tag) => `"x", ${tag}`,
      (tag) => `W/"x",${tag} ,"y"`,
      (tag) => `,${tag}, `,
      (tag) => ['"x"', tag],
    ];
    for (const field of naming) {
      await create();
      const first = await tag();
      const replaced = await replace(field(first));
      assert.equal(replaced.status, 200, String(field(first)));
      assert.equal((await remove(field(tagOf(replaced)))).status, 204);
    }
  });

  test('returns 412 / 41200 for another version and 400 / 40006 if it is invalid, and changes nothing', async () => {
    const { get, replace, remove } = await plant();
    const before = await get();
    const tag = tagOf(before);
    const stale = [
      ...['"x"', '""', `W/${tag}`, `W/"x", W/${tag}`, `"0${tag.slice(1)}`, `"${'z'.repeat(40)}"`, '"-1"'],
      // 13 digits in base 36 are beyond int64.
      ...[`"${'z'.repeat(13)}"`, `"${MAX.toString(36)}"`, `"${(MAX + 1n).toString(36)}"`],
      `"${(2n ** 64n).toString(36)}", "x"`,
      ...EMPTY,
    ];
    for (const [fields, error] of [
      [stale, 41200],
      [MALFORMED, 40006],
    ] as const) {
      for (const field of fields) {
        assert.equal(errorOf(await replace(field)), error, field);
        assert.equal(errorOf(await remove(field)), error, field);
      }
    }
    const now = await get();
    assert.deepEqual([now.text, tagOf(now)], [before.text, tag]);
  });

  test('returns 404 for a plant that does not exist, as without the condition (RFC 9110, 13.2.1)', async () => {
    const { replace, remove } = await plant();
    await remove();
    for (const field of ['*', '"x"']) {
      assert.equal(errorOf(await replace(field)), 40401);
      assert.equal(errorOf(await remove(field)), 40401);
    }
  });

  test('permits exactly one of 100 concurrent replacements', async () => {
    const { get, replace, tag } = await plant();
    for (let round = 0; round < 3; round++) {
      const current = await tag();
      const names = Array.from({ length: 100 }, (_, i) => `rival ${round} ${i}`);
      const responses = await Promise.all(names.map((name) => replace(current, name)));
      const [winner, ...others] = responses.toSorted((a, b) => a.status - b.status);
      assert.ok(others.every(({ status }) => status === 412));
      assert.deepEqual([winner?.status, winner?.text], [200, (await get()).text]);
    }
  });

  test('permits exactly one of concurrent replacements and deletions', async () => {
    for (let round = 0; round < 10; round++) {
      const { replace, remove, tag } = await plant();
      const current = await tag();
      const either = Array.from({ length: 10 }, (_, i) => ((i + round) % 2 === 0 ? replace(current) : remove(current)));
      const responses = await Promise.all(either);
      assert.equal(responses.filter(({ status }) => status < 300).length, 1);
    }
  });
});

describe('If-None-Match of a write', () => {
  test('returns 412 if it lists the current tag, compared weakly, or is *, and changes nothing', async () => {
    const { id, get } = await plant();
    const before = await get();
    const tag = tagOf(before);
    for (const field of ['*', tag, `W/${tag}`, `"x", ${tag}`, `,W/"x" ,W/${tag},`, ['"x"', tag]]) {
      for (const method of ['PUT', 'DELETE']) {
        const response = await write(method, id, { 'If-None-Match': field });
        assert.equal(errorOf(response), 41200, `${method} ${field}`);
        assert.match(response.text, /If-None-Match names the current version of plant/);
      }
    }
    for (const field of MALFORMED) {
      for (const method of ['PUT', 'DELETE'])
        assert.equal(errorOf(await write(method, id, { 'If-None-Match': field })), 40006, `${method} ${field}`);
    }
    const now = await get();
    assert.deepEqual([now.text, tagOf(now)], [before.text, tag]);
  });

  test('permits the write if it lists only other tags, or none', async () => {
    const { id, create, tag } = await plant();
    const former = await tag();
    assert.equal((await write('PUT', id, { 'If-None-Match': `"${'z'.repeat(13)}"` })).status, 200);
    for (const field of [former, `W/${former}`, ...WELL_FORMED.slice(1)]) {
      assert.equal((await write('PUT', id, { 'If-None-Match': field })).status, 200, `PUT ${field}`);
      assert.equal((await write('DELETE', id, { 'If-None-Match': field })).status, 204, `DELETE ${field}`);
      await create();
    }
  });

  test('comes after If-Match (RFC 9110, 13.2.2), and both must hold', async () => {
    const { id, create, tag } = await plant();
    for (const method of ['PUT', 'DELETE']) {
      const send = (match: string, noneMatch: string) =>
        write(method, id, { 'If-Match': match, 'If-None-Match': noneMatch });
      const current = await tag();
      for (const [match, noneMatch] of [
        ['"x"', '"x"'],
        ['"x"', current],
        [current, current],
        [current, '*'],
        ['*', `W/${current}`],
        ['*', '*'],
        ['', ''],
      ] as const)
        assert.equal(errorOf(await send(match, noneMatch)), 41200, `${method} ${match} ${noneMatch}`);
      assert.ok((await send(current, '"x"')).status < 300);
      await create();
    }
  });

  test('returns 404 for a plant that does not exist, and creates none', async () => {
    const { id, remove } = await plant();
    await remove();
    for (const field of ['*', '"x"', '']) {
      for (const method of ['PUT', 'DELETE'])
        assert.equal(errorOf(await write(method, id, { 'If-None-Match': field })), 40401);
    }
  });

  test('with the same former tag, permits exactly one of 100 concurrent replacements that also name it', async () => {
    const { id, get, tag } = await plant();
    const former = await tag();
    assert.equal((await write('PUT', id, {})).status, 200);
    const conditions = { 'If-Match': await tag(), 'If-None-Match': `W/${former}` };
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) => write('PUT', id, conditions, `rival ${i}`)),
    );
    const winners = responses.filter(({ status }) => status === 200);
    assert.deepEqual([winners.length, winners[0]?.text], [1, (await get()).text]);
    assert.ok(responses.every(({ status }) => status === 200 || status === 412));
  });
});

function write(method: string, id: number, headers: Record<string, string | string[]>, name = 'b') {
  const body = method === 'PUT' ? { name } : undefined;
  return client.send(method, `/plants/${id}`, { body, headers });
}

test('an operation ignores a condition that its description does not name', async () => {
  const { id } = await plant();
  const date = new Date(0).toUTCString();
  for (const name of ['If-Match', 'If-Unmodified-Since', 'If-Range'])
    assert.equal((await client.send('GET', `/plants/${id}`, { headers: { [name]: '"x"' } })).status, 200, name);
  assert.equal((await client.send('GET', '/plants', { headers: { 'If-None-Match': '*' } })).status, 200);
  const create = { body: { id, name: 'a' }, headers: { 'If-None-Match': '*' } };
  assert.equal((await client.send('POST', '/plants', create)).status, 200);
  for (const name of ['If-Unmodified-Since', 'If-Modified-Since', 'If-Range'])
    assert.equal((await write('PUT', id, { [name]: date })).status, 200, name);
  assert.equal((await write('DELETE', id, { 'If-Unmodified-Since': date })).status, 204);
});

function tagOf({ status, headers }: ClientResponse): string {
  assert.equal(status, 200);
  return headers.etag ?? '';
}
