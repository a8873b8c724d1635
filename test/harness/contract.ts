/**
 * Checks every response of every test: a declared status, headers and a body that match the schemas, and no 500.
 * Checks messages of webhooks for the tests that receive them.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { catalogue } from '../../src/features/index.ts';
import type { ClientResponse } from './client.ts';
import { parseExact } from './exact-json.ts';

/** A part of a description. */
export interface Node {
  readonly [key: string]: Node;
}

/** Header fields of every response at every path. The description declares only X-Request-Id of them. */
const ALWAYS = ['x-request-id', 'cache-control', 'access-control-expose-headers'];
const FIXED = { 'x-content-type-options': 'nosniff', 'access-control-allow-origin': '*' };

/** Fields that no response declares: OpenAPI leaves them out (3.1, 4.8.17), or their value never changes. */
const UNDECLARED = [
  ...['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding'],
  // In the response to a request that prefers a fault of its sandbox.
  'preference-applied',
  // With an https base URL. test/http/strict-transport.test.ts checks which services send it.
  'strict-transport-security',
  ...[...ALWAYS, ...Object.keys(FIXED)],
];

/** The name of the document within its Ajv. */
const DOCUMENT = 'description';

const SOURCES = new URL('../../src/', import.meta.url);

/** A description in its served form, read without the code under test, so that an error there cannot hide here. */
export class Description {
  readonly #document: Node;
  /** The paths of the description. Those without parameters come first (OpenAPI 3.1, 4.8.8.2). */
  readonly #templates: readonly string[];
  // `npm run check` validates the schemas of the descriptions, once.
  readonly #ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    formats: { int32: true, int64: true, 'uri-reference': true, 'date-time': true },
  });
  readonly #validators = new Map<string, ValidateFunction>();
  /** The parts of the description that a check has looked up, by their pointers. */
  readonly #parts = new Map<string, Node>();

  constructor(document: Node) {
    this.#document = document;
    this.#templates = Object.keys(this.#document['paths'] ?? {}).sort(
      (a, b) => Number(a.includes('{')) - Number(b.includes('{')),
    );
    this.#ajv.addSchema(this.#document, DOCUMENT);
  }

  checkError(body: unknown, what: string): void {
    this.#check('#/components/schemas/Error', body, what);
  }

  /** Returns whether the description has the operation. Throws if the description does not declare the response. */
  checkOperation(method: string, target: string, response: ClientResponse, prefix: string, what: string): boolean {
    const operation = this.#operationOf(method, target, prefix);
    if (operation === undefined) return false;
    const pointer = this.#responsePointer(operation, response.status);
    assert.ok(pointer, `status not declared: ${what}`);
    this.#checkHeaders(pointer, response, what);
    const caching = response.headers['etag'] === undefined ? 'no-store' : 'private, no-cache';
    assert.equal(response.headers['cache-control'], caching, what);
    const content = this.#at(pointer)['content'];
    if (content === undefined) {
      assert.equal(response.text, '', `a body where none is declared: ${what}`);
      return true;
    }
    const type = response.headers['content-type'];
    assert.ok(Object.hasOwn(content, String(type)), `the media type ${type} is not declared: ${what}`);
    if (method !== 'HEAD') {
      const value = type === 'application/json' ? response.json() : response.text;
      this.#check(`${pointer}/content/${String(type).replaceAll('/', '~1')}/schema`, value, what);
    }
    return true;
  }

  #checkHeaders(pointer: string, response: ClientResponse, what: string): void {
    const declared = this.#at(pointer)['headers'] ?? {};
    for (const name of Object.keys(declared)) {
      const headerPointer = this.#follow(`${pointer}/headers/${name}`);
      this.#checkField(headerPointer, name, response.headers, what);
    }
    const names = new Set([...Object.keys(declared).map((name) => name.toLowerCase()), ...UNDECLARED]);
    for (const name of Object.keys(response.headers))
      assert.ok(names.has(name), `header ${name} not declared: ${what}`);
  }

  /** Returns whether the description has the webhook. Throws if the description does not declare the message. */
  checkMessage(type: string, headers: IncomingHttpHeaders, body: string): boolean {
    const webhook = `#/webhooks/${type}/post`;
    if (this.#at(webhook) === undefined) return false;
    const what = `${type} ${JSON.stringify(headers)} ${body.slice(0, 300)}`;
    const names = new Set<string>();
    for (const i of Object.keys(this.#at(webhook)['parameters'] ?? {})) {
      const pointer = this.#follow(`${webhook}/parameters/${i}`);
      const name = String(this.#at(pointer)['name']);
      names.add(name.toLowerCase());
      this.#checkField(pointer, name, headers, what);
    }
    const unknown = Object.keys(headers).find((name) => name.startsWith('webhook-') && !names.has(name));
    assert.equal(unknown, undefined, `header not declared: ${what}`);
    const media = headers['content-type'];
    assert.equal(media, 'application/json', `the media type ${media} is not declared: ${what}`);
    const content = `${this.#follow(`${webhook}/requestBody`)}/content/application~1json/schema`;
    this.#check(content, parseExact(body), what);
    return true;
  }

  /** Checks the value of a parameter or a header of the description. */
  #checkField(pointer: string, name: string, headers: IncomingHttpHeaders, what: string): void {
    const value = headers[name.toLowerCase()];
    if (value === undefined) {
      assert.notEqual(this.#at(pointer)['required'] as unknown, true, `no ${name}: ${what}`);
      return;
    }
    const isInteger = (this.#at(this.#follow(`${pointer}/schema`))['type'] as unknown) === 'integer';
    // `Number` also reads texts that are no plain integer, such as an empty one.
    const isPlain = /^-?\d+$/.test(String(value));
    this.#check(`${pointer}/schema`, isInteger && isPlain ? Number(value) : value, `${name}: ${what}`);
  }

  #operationOf(method: string, target: string, prefix: string): string | undefined {
    const path = decodeURIComponentOr(target.replace(/^https?:\/\/[^/]*/, '').split('?')[0] ?? '').slice(prefix.length);
    const template = this.#templates.find((one) => matches(one.split('/'), path.split('/')));
    if (template === undefined) return undefined;
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const pointer = `#/paths/${template.replaceAll('/', '~1')}/${verb}`;
    return this.#at(pointer) === undefined ? undefined : pointer;
  }

  #responsePointer(operation: string, status: number): string | undefined {
    const pointer = `${operation}/responses/${status}`;
    return this.#at(pointer) === undefined ? undefined : this.#follow(pointer);
  }

  #follow(pointer: string): string {
    const reference: unknown = this.#at(pointer)['$ref'];
    return typeof reference === 'string' ? this.#follow(reference) : pointer;
  }

  #at(pointer: string): Node {
    const known = this.#parts.get(pointer);
    if (known !== undefined) return known;
    const tokens = pointer.slice(2).split('/');
    const part = tokens.reduce(
      (node, token) => node?.[token.replaceAll('~1', '/').replaceAll('~0', '~')] as Node,
      this.#document,
    );
    this.#parts.set(pointer, part);
    return part;
  }

  #check(pointer: string, value: unknown, what: string): void {
    let validate = this.#validators.get(pointer);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `${DOCUMENT}${encodeURI(pointer)}` });
      this.#validators.set(pointer, validate);
    }
    assert.ok(validate(toNumbers(value)), `${this.#ajv.errorsText(validate.errors)}: ${what}`);
  }
}

function readServed(path: string): Description {
  return new Description(JSON.parse(readFileSync(new URL(path, SOURCES), 'utf8')));
}

const plants = readServed('contract/openapi.served.json');
const ofFeatures = globSync('features/**/*.served.json', { cwd: fileURLToPath(SOURCES) }).map(readServed);

/**
 * Throws if a response violates its description or, at a path without one, the rules for all responses. `log`: the log
 * of the service, whose end explains a 500.
 */
export function checkResponse(
  method: string,
  target: string,
  response: ClientResponse,
  prefix = '',
  log = () => '',
): void {
  const what = checkAlways(method, target, response);
  assert.notEqual(response.status, 500, `a 500: ${what}\n${log().slice(-2_000)}`);
  const isJson = response.headers['content-type'] === 'application/json' && method !== 'HEAD';
  // Parsed once for all checks, since a page can have 12 MB.
  let parsed: unknown;
  if (isJson) {
    assert.doesNotThrow(() => {
      parsed = response.json();
    }, `the body is no JSON: ${what}`);
  }
  const checked = isJson ? { ...response, json: () => parsed } : response;
  if (checked.status >= 400) checkError(method, checked, what);
  // The feature whose description has the path was not asked for.
  const isMissing = checked.status === 404 && method !== 'HEAD';
  if (isMissing && (checked.json() as { error?: number }).error === 40400) return;
  if (plants.checkOperation(method, target, checked, prefix, what)) return;
  ofFeatures.some((description) => description.checkOperation(method, target, checked, prefix, what));
}

/** Throws if the message of a webhook violates its description. `body`: the text that was sent. */
export function checkMessage(type: string, headers: IncomingHttpHeaders, body: string): void {
  const isDeclared = ofFeatures.some((description) => description.checkMessage(type, headers, body));
  assert.ok(isDeclared, `no description has the webhook ${type}`);
}

/**
 * Checks only what is true of every response, also of one that leaves the description. Returns its text for messages.
 */
export function checkAlways(method: string, target: string, response: ClientResponse): string {
  const what = `${method} ${target} -> ${response.status} ${response.text.slice(0, 300)}`;
  for (const name of ALWAYS) assert.ok(response.headers[name], `no ${name}: ${what}`);
  for (const [name, value] of Object.entries(FIXED)) assert.equal(response.headers[name], value, `${name}: ${what}`);
  return what;
}

function checkError(method: string, response: ClientResponse, what: string): void {
  assert.equal(response.headers['content-type'], 'application/json', what);
  if (method === 'HEAD') return;
  const body = response.json() as { error: number; message: string };
  plants.checkError(body, what);
  assert.ok(body.error in catalogue, `not in the catalogue: ${what}`);
  assert.equal(Math.floor(body.error / 100), response.status, `error and status disagree: ${what}`);
  assert.doesNotMatch(
    body.message,
    /ps[st]_[0-9A-Za-z]{10}|\bat .+:\d+:\d+|node_modules/,
    `a secret or a stack: ${what}`,
  );
}

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

/** Ajv has no bigint. It checks the nearest number; exactness is checked where a bigint is read. */
function toNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') {
    assert.ok(BigInt.asIntN(64, value) === value, `${value} is no int64`);
    return Number(value);
  }
  if (Array.isArray(value)) return value.map(toNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toNumbers(item)]));
}
