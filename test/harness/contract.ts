/** Holds every response of every test to the description: status declared, headers and body by schema, never a 500. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { catalogue } from '../../src/errors.ts';
import type { ClientResponse } from './client.ts';

interface Node {
  readonly [key: string]: Node;
}

// Read on its own, not by the code under test: an error there must not hide itself here.
const document: Node = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false, formats: { int32: true, int64: true, 'uri-reference': true } });
ajv.addSchema(document, 'openapi');
const validators = new Map<string, ValidateFunction>();

/** On every response, whatever the path; of these the description declares X-Request-Id alone. */
const ALWAYS = ['x-request-id', 'cache-control', 'access-control-expose-headers'];
const FIXED = { 'x-content-type-options': 'nosniff', 'access-control-allow-origin': '*' };

/** Throws when a response is not what the description, or for paths outside it the house rules, allow. */
export function checkResponse(method: string, target: string, response: ClientResponse, prefix = ''): void {
  const what = `${method} ${target} -> ${response.status} ${response.text.slice(0, 300)}`;
  assert.notEqual(response.status, 500, `a 500: ${what}`);
  for (const name of ALWAYS) assert.ok(response.headers[name], `no ${name}: ${what}`);
  for (const [name, value] of Object.entries(FIXED)) assert.equal(response.headers[name], value, `${name}: ${what}`);
  if (response.status >= 400) checkError(method, response, what);
  const operation = operationOf(method, target, prefix);
  if (operation === undefined) return;
  const pointer = responsePointer(operation, response.status);
  assert.ok(pointer, `status not declared: ${what}`);
  checkHeaders(pointer, response, what);
  const caching = response.headers['etag'] === undefined ? 'no-store' : 'private, no-cache';
  assert.equal(response.headers['cache-control'], caching, what);
  const content = at(pointer)['content'];
  if (content === undefined) assert.equal(response.text, '', `a body where none is declared: ${what}`);
  else if (method !== 'HEAD') check(`${pointer}/content/application~1json/schema`, response.json(), what);
}

function checkError(method: string, response: ClientResponse, what: string): void {
  assert.equal(response.headers['content-type'], 'application/json', what);
  if (method === 'HEAD') return;
  const body = response.json() as { error: number; message: string };
  check('#/components/schemas/Error', body, what);
  assert.ok(body.error in catalogue, `not in the catalogue: ${what}`);
  assert.equal(Math.floor(body.error / 100), response.status, `error and status disagree: ${what}`);
  assert.doesNotMatch(body.message, /pst_[0-9A-Za-z]{10}|\bat .+:\d+:\d+|node_modules/, `a secret or a stack: ${what}`);
}

function checkHeaders(pointer: string, response: ClientResponse, what: string): void {
  const declared = at(pointer)['headers'] ?? {};
  for (const name of Object.keys(declared)) {
    const headerPointer = follow(`${pointer}/headers/${name}`);
    const header = at(headerPointer);
    const value = response.headers[name.toLowerCase()];
    if (value === undefined) {
      assert.notEqual(header['required'] as unknown, true, `no ${name}: ${what}`);
      continue;
    }
    const integer = (header['schema']?.['type'] as unknown) === 'integer';
    check(`${headerPointer}/schema`, integer ? Number(value) : value, `${name}: ${what}`);
  }
  const names = new Set([...Object.keys(declared).map((name) => name.toLowerCase()), ...UNDECLARED]);
  for (const name of Object.keys(response.headers)) assert.ok(names.has(name), `header ${name} not declared: ${what}`);
}

/** Fields of the connection and the message, which OpenAPI leaves out (3.1, 4.8.17), and those that never change. */
const UNDECLARED = [
  ...['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding'],
  ...[...ALWAYS, ...Object.keys(FIXED)],
];

function operationOf(method: string, target: string, prefix: string): string | undefined {
  const path = decodeURIComponentOr(target.replace(/^https?:\/\/[^/]*/, '').split('?')[0] ?? '').slice(prefix.length);
  const template = TEMPLATES.find((one) => matches(one.split('/'), path.split('/')));
  if (template === undefined) return undefined;
  const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
  const pointer = `#/paths/${template.replaceAll('/', '~1')}/${verb}`;
  return at(pointer) === undefined ? undefined : pointer;
}

/** The description's paths, those without parameters first (OpenAPI 3.1, 4.8.8.2). */
const TEMPLATES = Object.keys(document['paths'] ?? {}).sort(
  (a, b) => Number(a.includes('{')) - Number(b.includes('{')),
);

function matches(wanted: readonly string[], segments: readonly string[]): boolean {
  if (wanted.length !== segments.length) return false;
  return wanted.every((want, i) => (want.startsWith('{') ? segments[i] !== '' : segments[i] === want));
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function responsePointer(operation: string, status: number): string | undefined {
  const pointer = `${operation}/responses/${status}`;
  return at(pointer) === undefined ? undefined : follow(pointer);
}

function follow(pointer: string): string {
  const reference: unknown = at(pointer)['$ref'];
  return typeof reference === 'string' ? follow(reference) : pointer;
}

function at(pointer: string): Node {
  const tokens = pointer.slice(2).split('/');
  return tokens.reduce((node, token) => node?.[token.replaceAll('~1', '/').replaceAll('~0', '~')] as Node, document);
}

function check(pointer: string, value: unknown, what: string): void {
  let validate = validators.get(pointer);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `openapi${encodeURI(pointer)}` });
    validators.set(pointer, validate);
  }
  assert.ok(validate(toNumbers(value)), `${ajv.errorsText(validate.errors)}: ${what}`);
}

/** Ajv knows no bigint: exactness is checked where a bigint was read, the schema on the number nearest to it. */
function toNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') {
    assert.ok(BigInt.asIntN(64, value) === value, `${value} is no int64`);
    return Number(value);
  }
  if (Array.isArray(value)) return value.map(toNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toNumbers(item)]));
}
