/** An API of another kind, served by the same pipeline: the pipeline does not depend on plants. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Operations } from '../../src/contract/operation.ts';
import { int64, object, text } from '../../src/contract/schema.ts';
import type { Feature } from '../../src/feature.ts';
import type { Api } from '../../src/http/api.ts';
import { createRouter, type Pages } from '../../src/http/router.ts';
import { startTestService } from '../harness/service.ts';
import { exchange } from './raw-client.ts';

const Leaf = object({ leaf: text({ rule: 'a string' }) });
const GET = { method: 'GET', scopes: undefined, parameters: [], body: undefined, responses: { 200: Leaf } } as const;
const segment = (name: string) => ({ name, in: 'path', required: true, schema: text({ rule: 'a string' }) }) as const;

const operations = {
  byId: { ...GET, id: 'byId', path: '/leaves/{leaf}', parameters: [segment('leaf')] },
  newest: { ...GET, id: 'newest', path: '/leaves/newest' },
  vein: { ...GET, id: 'vein', path: '/leaves/{leaf}/veins/{vein}', parameters: [segment('leaf'), segment('vein')] },
  both: { ...GET, id: 'both', path: '/both', scopes: ['leaves:read', 'leaves:write'] },
  add: { ...GET, id: 'add', method: 'POST', path: '/leaves', body: object({ id: int64() }) },
  undeclared: { ...GET, id: 'undeclared', path: '/undeclared' },
} as const satisfies Operations;

const observed: string[] = [];

/** Responds with its name and its input. Nothing is typed here, since one function performs every operation. */
const api: Api = {
  operations,
  contextOf: () => undefined,
  handlers: Object.fromEntries(
    Object.keys(operations).map((id) => [
      id,
      ({ parameters, body }) =>
        id === 'undeclared'
          ? { status: 201 }
          : {
              status: 200,
              body: { leaf: [id, ...Object.values(parameters), ...Object.values(body ?? {})].join(' ') },
            },
    ]),
  ),
  documents: {},
};

const leaves: Feature = {
  apis: () => [api],
  steps: (own) => ({
    ...own,
    authenticate: ({ request }) => ({
      id: 'x',
      store: 'default',
      scopes: new Set(String(request.headers.authorization).split(' ')),
    }),
    finish: (exchange, response) =>
      own.finish(exchange, { ...response, headers: { ...response.headers, Leaf: 'green' } }),
  }),
  observers: [(_exchange, { status, headers }) => observed.push(`${status} ${headers['Leaf']}`)],
};

describe('a second API', async () => {
  const service = await startTestService({ features: [() => leaves] });
  after(() => service[Symbol.asyncDispose]());
  const { url } = service.running;
  const send = (path: string, init?: RequestInit) => fetch(url + path, init);
  const leafOf = async (path: string, init?: RequestInit) =>
    ((await (await send(path, init)).json()) as { leaf: string }).leaf;

  test('needs no credential if its security is empty', async () => {
    assert.equal(await leafOf('/leaves/a%20b'), 'byId a b');
  });

  test('prefers a path without parameters to a path with parameters (OpenAPI 3.1, 4.8.8)', async () => {
    assert.equal(await leafOf('/leaves/newest'), 'newest');
    assert.equal(await leafOf('/leaves/1/veins/x%2Fy'), 'vein 1 x/y');
  });

  test('finds no path with an empty, a missing or an extra segment', async () => {
    for (const path of ['/leaves/', '/leaves/1/', '/leaves//veins/2', '/leaves/1/veins', '/Leaves/1']) {
      assert.equal((await send(path)).status, 404, path);
    }
    const response = await send('/leaves/1', { method: 'POST' });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  });

  test('needs every scope that an operation names', async () => {
    const statusFor = async (authorization: string) => (await send('/both', { headers: { authorization } })).status;
    assert.equal(await statusFor('leaves:read'), 403);
    assert.equal(await statusFor('leaves:write'), 403);
    assert.equal(await statusFor('leaves:read leaves:write'), 200);
  });

  test('reads its bodies exactly', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const add = (body: string) => leafOf('/leaves', { method: 'POST', headers, body });
    assert.equal(await add('{"id":9223372036854775807}'), 'add 9223372036854775807');
  });

  test('responds with 500 to an undeclared result, and reveals nothing about it', async () => {
    const response = await send('/undeclared');
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /201|undeclared/);
  });

  test('passes refusals of a connection through its step `finish` and its observers', async () => {
    const refused = [
      'GET / HTTP/9.9\r\n\r\n',
      'BREW / HTTP/1.1\r\n\r\n',
      'CONNECT leaf:80 HTTP/1.1\r\nHost: a\r\n\r\n',
    ];
    const begun = `POST /leaves HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
    for (const request of [...refused, begun]) {
      observed.length = 0;
      const { responses } = await exchange(service.running.address.port, [request], Number.POSITIVE_INFINITY);
      assert.deepEqual(
        responses.map(({ status, headers }) => `${status} ${headers['leaf']}`),
        observed,
      );
      assert.match(String(observed), /^(400|404|405) green$/);
    }
  });

  test('refuses an operation at the path of a page or of another API', () => {
    const refuse = (apis: readonly Api[], message: string, pages: Pages = new Map()) =>
      assert.throws(() => createRouter('', () => '').open(apis, pages), { name: 'StartupError', message });
    const other = (id: string, path: string) => ({ ...api, operations: { [id]: { ...operations.vein, id, path } } });
    const pages = new Map([['/both', () => ({ status: 200, headers: {} })]]);
    refuse([api], "the description's path /both is a page of the service", pages);
    refuse([api, other('vein', '/veins')], 'two operations have the operationId vein');
    const veinAgain = () => ({ status: 200 });
    refuse(
      [api, { ...other('veinAgain', '/leaves/{a}/veins/{b}'), handlers: { veinAgain } }],
      'two operations have the path /leaves/{a}/veins/{b}',
    );
    refuse([other('root', '/roots')], 'nothing performs the operation root');
  });
});
