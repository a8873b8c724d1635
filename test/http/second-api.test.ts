/** Another table of operations, served by the same pipeline: nothing in it knows about plants. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Operation, Operations } from '../../src/contract/operation.ts';
import { int64, object, text } from '../../src/contract/schema.ts';
import { createInputReader } from '../../src/http/input.ts';
import { listen } from '../../src/http/listener.ts';
import { createPipeline, type Steps } from '../../src/http/pipeline.ts';
import { createRequestIds } from '../../src/http/request.ts';
import { createEncoder, finishResponse, writeResponse } from '../../src/http/response.ts';
import { createRouter } from '../../src/http/router.ts';
import { createLogger } from '../../src/observe/log.ts';
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

describe('a second API', async () => {
  const observed: string[] = [];
  const log = createLogger('silent', process.stderr);
  const steps: Steps = {
    authenticate: ({ request }) => ({
      id: 'x',
      store: 'default',
      scopes: new Set(String(request.headers.authorization).split(' ')),
    }),
    readInput: createInputReader(1_000),
    async perform({ operation }, { parameters, body }) {
      const { id } = operation as Operation;
      if (id === 'undeclared') return { status: 201 };
      return {
        status: 200,
        body: { leaf: [id, ...Object.values(parameters), ...Object.values(body ?? {})].join(' ') },
      };
    },
    encode: createEncoder(1_000_000),
    finish: (exchange, response) =>
      finishResponse(exchange, { ...response, headers: { ...response.headers, Leaf: 'green' } }),
    write: writeResponse,
  };
  const router = createRouter(operations, new Map(), '', 'none');
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    flag: '--port',
    reusePort: false,
    tls: undefined,
    limits: { maxHeader: 16_384, requestTimeout: 5_000, maxConnections: 100 },
    router,
    pipeline: createPipeline({
      router,
      steps,
      rateLimiter: undefined,
      observers: [(_, { status, headers }) => observed.push(`${status} ${headers['Leaf']}`)],
      log,
    }),
    requestIds: createRequestIds('leaf'),
  });
  after(() => listener.close(0));
  const send = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${listener.address.port}${path}`, init);
  const leafOf = async (path: string, init?: RequestInit) =>
    ((await (await send(path, init)).json()) as { leaf: string }).leaf;

  test('needs no credential where its security is empty', async () => {
    assert.equal(await leafOf('/leaves/a%20b'), 'byId a b');
  });

  test('finds a path without parameters before one with them (OpenAPI 3.1, 4.8.8)', async () => {
    assert.equal(await leafOf('/leaves/newest'), 'newest');
    assert.equal(await leafOf('/leaves/1/veins/x%2Fy'), 'vein 1 x/y');
  });

  test('has no path with an empty, a missing or a further segment', async () => {
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

  test('responds 500 to a result that is not declared, and tells nothing of it', async () => {
    const response = await send('/undeclared');
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /201|undeclared/);
  });

  test('has its own step `finish` and its observers for refusals that the pipeline never gets', async () => {
    const refused = [
      'GET / HTTP/9.9\r\n\r\n',
      'BREW / HTTP/1.1\r\n\r\n',
      'CONNECT leaf:80 HTTP/1.1\r\nHost: a\r\n\r\n',
    ];
    const begun = `POST /leaves HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
    for (const request of [...refused, begun]) {
      observed.length = 0;
      const { responses } = await exchange(listener.address.port, [request], Number.POSITIVE_INFINITY);
      assert.deepEqual(
        responses.map(({ status, headers }) => `${status} ${headers['leaf']}`),
        observed,
      );
      assert.match(String(observed), /^(400|404|405) green$/);
    }
  });

  test('cannot have an operation where a page is', () => {
    const pages = new Map([['/both', () => ({ status: 200, headers: {} })]]);
    assert.throws(() => createRouter(operations, pages, '', ''), {
      name: 'StartupError',
      message: "the description's path /both is a page of the service",
    });
  });
});
