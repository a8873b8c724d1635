/**
 * Real exchanges for validators to judge. They cover every operation with every status that a client can cause; no
 * client can cause a 500. `node lab/tools/exchanges.ts FILE [LARGEST]` writes them as JSON. LARGEST is the largest id.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Exchange {
  readonly operation: string;
  /** Whether the description allows the request. A validator must come to the same verdict. */
  readonly isValid: boolean;
  readonly method: string;
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Service {
  readonly url: string;
  readonly tokens: Readonly<Record<'all' | 'read' | 'write' | 'used' | 'unverifiable', string>>;
  stop(): Promise<void>;
}

const PLANTSTORE = fileURLToPath(new URL('../../bin/plantstore', import.meta.url));
/** More requests than the exchanges need. */
const RATE_LIMIT = 200;
const ISSUER = 'http://127.0.0.1:1';

/** Starts a service with an issuer that cannot be reached, and uses up the rate limit of one token. */
export async function startService(): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-exchanges-'));
  const database = `sqlite:${join(folder, 'plants.db')}`;
  const create = (...scope: string[]) =>
    execFileSync(PLANTSTORE, ['token', 'create', '--create', '--database', database, '--scope', ...scope], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokens = {
    all: create('plants:read', 'plants:write'),
    read: create('plants:read'),
    write: create('plants:write'),
    used: create('plants:read', 'plants:write'),
    unverifiable: `${base64url({ alg: 'ES256', typ: 'at+jwt', kid: '1' })}.${base64url({ iss: ISSUER })}.AAAA`,
  };
  const issuer = ['--jwt-issuer', ISSUER, '--jwks-url', ISSUER, '--jwt-audience', 'plants'];
  const args = ['serve', '--port', '0', '--database', database, '--rate-limit', `${RATE_LIMIT}/1h`, ...issuer];
  const child = spawn(PLANTSTORE, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let url: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    url = /http:\/\/[\w.:]+/.exec(line)?.[0];
    if (url !== undefined) break;
  }
  if (url === undefined) throw new Error('the service did not start');
  const headers = { Authorization: `Bearer ${tokens.used}` };
  for (let sent = 0; sent < RATE_LIMIT; sent++) await (await fetch(`${url}/plants`, { headers })).text();
  const stop = async () => {
    child.kill();
    await once(child, 'close');
    rmSync(folder, { recursive: true });
  };
  return { url, tokens, stop };
}

/** Sends every request, in order, to `url`: the address of the service or of a proxy in front of it. */
export async function exchangeAll(
  url: string,
  tokens: Service['tokens'],
  { largest = '9223372036854775807', noPlant = '{"id":12' } = {},
): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const send = async (expected: number, operation: string, path: string, request: Partial<Request> = {}) => {
    const { isValid = expected !== 400, token = tokens.all, headers = {}, body } = request;
    const [method = ''] = OPERATIONS[operation] ?? [];
    const requestHeaders: Record<string, string> = { ...headers };
    if (token !== '') requestHeaders['Authorization'] = `Bearer ${token}`;
    if (body !== undefined) requestHeaders['Content-Type'] ??= 'application/json';
    const response = await fetch(url + path, {
      method,
      headers: requestHeaders,
      ...(body === undefined ? {} : { body }),
    });
    const exchange = {
      operation,
      isValid,
      method,
      path,
      requestHeaders,
      requestBody: body ?? '',
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
    if (exchange.status !== expected) throw new Error(`${expected} was expected: ${JSON.stringify(exchange)}`);
    exchanges.push(exchange);
    return exchange;
  };
  const aloe = '{"id":12,"name":"Aloe vera","tag":"succulent"}';
  await send(200, 'createPlant', '/plants', { body: aloe });
  await send(200, 'createPlant', '/plants', { body: aloe });
  await send(200, 'createPlant', '/plants', { body: `{"id":${largest},"name":"Monstera 🪴","more":true}` });
  await send(400, 'createPlant', '/plants', { body: '{"id":12,"name":"Aloe"}', isValid: true });
  await send(400, 'createPlant', '/plants', { body: noPlant });
  await send(400, 'createPlant', '/plants', { body: '{"id":9223372036854775808,"name":1}' });
  await send(400, 'createPlant', '/plants', { body: `{"id":1,"name":"${'a'.repeat(1025)}"}` });
  await send(400, 'createPlant', '/plants', { body: aloe, headers: { 'Content-Type': 'text/plain' } });
  await send(400, 'createPlant', '/plants', {});
  const page = await send(200, 'listPlants', '/plants?limit=1');
  const [next = ''] = /\/plants\?[^>]*/.exec(page.headers['link'] ?? '') ?? [];
  await send(200, 'listPlants', next);
  await send(200, 'listPlants', '/plants?tag=none');
  await send(400, 'listPlants', '/plants?limit=0');
  await send(400, 'listPlants', `/plants?after=${'A'.repeat(32)}`, { isValid: true });
  const { headers: read } = await send(200, 'getPlant', '/plants/12');
  const etag = read['etag'] ?? '';
  await send(200, 'getPlant', `/plants/${largest}`);
  await send(304, 'getPlant', '/plants/12', { headers: { 'If-None-Match': etag } });
  await send(400, 'getPlant', '/plants/aloe');
  await send(400, 'getPlant', '/plants/12', { headers: { 'If-None-Match': 'aloe' } });
  await send(404, 'getPlant', '/plants/13');
  const renamed = '{"name":"Aloe vera","tag":"medicinal"}';
  await send(200, 'replacePlant', '/plants/12', { body: renamed, headers: { 'If-Match': etag } });
  await send(412, 'replacePlant', '/plants/12', { body: renamed, headers: { 'If-Match': etag } });
  await send(404, 'replacePlant', '/plants/13', { body: renamed });
  await send(400, 'replacePlant', '/plants/12', { body: '{}' });
  await send(412, 'deletePlant', '/plants/12', { headers: { 'If-Match': etag } });
  await send(400, 'deletePlant', '/plants/9223372036854775808');
  await send(204, 'deletePlant', '/plants/12', { headers: { 'If-Match': '*' } });
  await send(404, 'deletePlant', '/plants/12');
  for (const [operation, [, path, lacking, body]] of Object.entries(OPERATIONS)) {
    const request = body === undefined ? {} : { body };
    await send(401, operation, path, { ...request, token: '', isValid: false });
    await send(401, operation, path, { ...request, token: 'none' });
    await send(403, operation, path, { ...request, token: tokens[lacking] });
    await send(429, operation, path, { ...request, token: tokens.used });
    await send(503, operation, path, { ...request, token: tokens.unverifiable });
  }
  return exchanges;
}

interface Request {
  readonly isValid: boolean;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** For each operation: method, path, the token that lacks its scope, and a body. */
const OPERATIONS: Readonly<Record<string, readonly [string, string, 'read' | 'write', string?]>> = {
  listPlants: ['GET', '/plants', 'write'],
  createPlant: ['POST', '/plants', 'read', '{"id":1,"name":"Aloe vera"}'],
  getPlant: ['GET', '/plants/12', 'write'],
  replacePlant: ['PUT', '/plants/12', 'read', '{"name":"Aloe vera"}'],
  deletePlant: ['DELETE', '/plants/12', 'read'],
};

if (import.meta.main) {
  const [file, largest] = process.argv.slice(2);
  if (file === undefined) throw new Error('name the file to write');
  const service = await startService();
  const options = largest === undefined ? {} : { largest };
  const exchanges = await exchangeAll(service.url, service.tokens, options).finally(service.stop);
  writeFileSync(file, JSON.stringify(exchanges, undefined, 2));
  console.log(`${exchanges.length} exchanges in ${file}`);
}
