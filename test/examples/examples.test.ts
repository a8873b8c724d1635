/** Sends every request of the examples for other tools to a running service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { operations } from '../contract/document.ts';
import type { ClientResponse } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';
import { fill, parseHttpFile } from './http-file.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface PostmanItem {
  readonly name: string;
  readonly item?: readonly PostmanItem[];
  readonly event: readonly { readonly script: { readonly exec: readonly string[] } }[];
  readonly request: {
    readonly method: string;
    readonly auth?: { readonly type: string };
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: {
      readonly raw: string;
      readonly path: readonly string[];
      readonly query?: readonly { key: string; value: string }[];
    };
    readonly body?: { readonly raw: string };
  };
}

interface Collection {
  readonly info: { readonly schema: string };
  readonly auth: { readonly bearer: readonly { readonly value: string }[] };
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: readonly PostmanItem[];
}

const collection: Collection = JSON.parse(read('examples/plant-store.postman_collection.json'));

function flat(items: readonly PostmanItem[]): PostmanItem[] {
  return items.flatMap((item) => (item.item === undefined ? [item] : flat(item.item)));
}

test('each request of the .http file returns the status in its title', async () => {
  await using service = await startTestService();
  const { client } = service;
  const { variables, requests } = parseHttpFile(read('examples/plant-store.http'));
  // Each client names parts of an earlier response differently, so the file uses none.
  assert.deepEqual([...variables.keys()], ['base', 'token']);
  assert.equal(variables.get('base'), 'http://127.0.0.1:8080');
  variables.set('base', client.url);
  variables.set('token', client.token);
  for (const { title, method, url, headers, body } of requests) {
    const fields = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, fill(value, variables)]));
    const target = fill(url, variables).slice(client.url.length);
    const response = await client.send(method, target, { token: null, headers: fields, ...(body ? { body } : {}) });
    assert.match(title, new RegExp(`: ${response.status}\\b`), `${title} was ${response.status} ${response.text}`);
  }
});

/** Runs the scripts of a request with the part of Postman's `pm` that they use. Returns the number of their tests. */
function runScript(item: PostmanItem, response: ClientResponse, variables: Map<string, string>): number {
  let tests = 0;
  const pm = {
    response: {
      headers: { get: (name: string) => response.headers[name.toLowerCase()] },
      to: {
        have: { status: (wanted: number) => assert.equal(response.status, wanted, `${item.name}: ${response.text}`) },
      },
    },
    collectionVariables: { set: (name: string, value: string) => variables.set(name, value) },
    test: (_name: string, check: () => void) => {
      check();
      tests += 1;
    },
  };
  for (const { script } of item.event) runInNewContext(script.exec.join('\n'), { pm });
  return tests;
}

test('each request of the Postman collection passes its own tests', async () => {
  await using service = await startTestService();
  const { client } = service;
  const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
  variables.set('base', client.url);
  variables.set('token', client.token);
  const bearer = collection.auth.bearer[0]?.value ?? '';
  for (const item of flat(collection.item)) {
    const { method, auth, header, url, body } = item.request;
    const fields = Object.fromEntries(header.map(({ key, value }) => [key, fill(value, variables)]));
    const token = auth?.type === 'noauth' ? null : fill(bearer, variables);
    const target = fill(url.raw, variables).slice(client.url.length);
    const response = await client.send(method, target, { token, headers: fields, ...(body ? { body: body.raw } : {}) });
    assert.equal(runScript(item, response, variables), 1, item.name);
  }
});

test('the Postman collection has format 2.1, and both forms of each address agree', () => {
  assert.match(collection.info.schema, /\/v2\.1\.0\/collection\.json$/);
  for (const { name, request } of flat(collection.item)) {
    const { raw, path, query = [] } = request.url;
    const search = query.map(({ key, value }) => `${key}=${value}`).join('&');
    assert.equal(raw, `{{base}}/${path.join('/')}${search === '' ? '' : `?${search}`}`, name);
  }
});

test('both files of examples show the same operations, and every operation of the description', () => {
  const { requests } = parseHttpFile(read('examples/plant-store.http'));
  const http = requests.map(({ method, url }) => `${method} ${url.replace('{{base}}', '')}`);
  const postman = flat(collection.item).map(({ request }) => `${request.method} /${request.url.path.join('/')}`);
  const [shown = [], other] = [http, postman].map((sent) => {
    const shapes = sent.map((line) => shapeOf(line.replace(/\?.*/, '')));
    return [...new Set(shapes)].sort();
  });
  assert.deepEqual(shown, other);
  for (const { method, path } of operations)
    assert.ok(shown.includes(`${method} ${path}`), `${method} ${path} is missing in examples/`);
});

/** The method and the path of the operation that a request reaches. A path without parameters comes first. */
function shapeOf(request: string): string {
  const shapes = operations.map(({ method, path }) => `${method} ${path}`);
  const reached = shapes.filter((shape) => new RegExp(`^${shape.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(request));
  return reached.find((shape) => shape === request) ?? reached[0] ?? request;
}
