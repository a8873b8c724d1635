/** What a credential costs: the service's own pipeline with and without one, in turn in one process, CPU a request. */
import { generateKeyPairSync } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { exportJWK, SignJWT } from 'jose';
import { eitherOf } from '../src/auth/authenticator.ts';
import type { Authenticator } from '../src/auth/credential.ts';
import { issueToken } from '../src/auth/issue-token.ts';
import { createJwtAuthenticator } from '../src/auth/jwt.ts';
import { openOpaqueTokens } from '../src/auth/opaque-tokens.ts';
import { createRateLimiter, type RateLimiter } from '../src/auth/rate-limit.ts';
import type { TokenRecord, TokenStore } from '../src/auth/token-store.ts';
import { parseDescription, readDescription } from '../src/contract/document.ts';
import { compileOperations, type Operation } from '../src/contract/operation.ts';
import { createPipeline, type Pipeline } from '../src/http/pipeline.ts';
import { createLogger } from '../src/observe/log.ts';
import { median } from './statistics.ts';

const ROUNDS = 60;
const REQUESTS = 8_000;
const TOKENS = 16;

const socket = new Socket();
const response = new ServerResponse(new IncomingMessage(socket));
const log = createLogger('warn', process.stderr);
const issued = Array.from({ length: TOKENS }, () =>
  issueToken({
    name: undefined,
    store: 'default',
    scopes: ['plants:read', 'plants:write'],
    createdAt: 0,
    expiresAt: undefined,
  }),
);
const opaque = await openOpaqueTokens(holding(issued.map(({ record }) => record)), undefined, Date.now, log);
const { jwt, token: jwtToken } = await jwtOf();

const operations = compileOperations(parseDescription(readDescription()));
const open = operations.map((operation) => ({ ...operation, scopes: undefined }));

const bearers = issued.map(({ token }) => `Bearer ${token}`);
const cases: readonly { name: string; pipeline: Pipeline; authorization: readonly string[] }[] = [
  { name: 'no credential asked for', pipeline: pipelineOf(open, opaque), authorization: bearers },
  { name: 'opaque token', pipeline: pipelineOf(operations, opaque), authorization: bearers },
  {
    name: 'opaque token, JWT allowed',
    pipeline: pipelineOf(operations, eitherOf(opaque, jwt)),
    authorization: bearers,
  },
  { name: 'JWT', pipeline: pipelineOf(operations, eitherOf(opaque, jwt)), authorization: [`Bearer ${jwtToken}`] },
  {
    name: 'opaque token, rate limit',
    pipeline: pipelineOf(operations, opaque, createRateLimiter({ quota: 1e9, window: 3_600 })),
    authorization: bearers,
  },
];

const costs: number[][] = cases.map(() => []);
// Interleaved, so that whatever else the machine does meets all of them.
for (let round = 0; round < ROUNDS; round++) {
  for (const [i, one] of cases.entries()) {
    const cost = await measure(one.pipeline, one.authorization);
    if (round >= ROUNDS / 4) costs[i]?.push(cost);
  }
}
opaque.close();
const medians = costs.map((list) => median(list) ?? Number.NaN);
console.log('CPU us a request in the pipeline (no sockets), median of rounds, and the difference to no credential:');
for (const [i, { name }] of cases.entries()) {
  const cost = medians[i] as number;
  console.log(
    `${name.padEnd(28)} ${cost.toFixed(2).padStart(6)} ${(cost - (medians[0] as number)).toFixed(2).padStart(6)}`,
  );
}

function pipelineOf(parts: readonly Operation[], authenticator: Authenticator, rateLimiter?: RateLimiter): Pipeline {
  return createPipeline({
    operations: parts,
    perform: () => ({ status: 200, headers: { ETag: '"1"' }, body: { id: 1n, name: 'Aloe' } }),
    authenticator,
    accepted: undefined,
    rateLimiter,
    pages: new Map(),
    prefix: '',
    maxBody: 65_536,
    maxUnread: 2 ** 27,
    log,
  });
}

async function measure(pipeline: Pipeline, authorization: readonly string[]): Promise<number> {
  const begin = process.cpuUsage();
  // Sixteen at a time, as on as many connections. Each request is new, as from a parser; that costs all cases the same.
  for (let i = 0; i < REQUESTS; i += 16) {
    const answers = [];
    for (let k = i; k < i + 16; k++) {
      answers.push(pipeline.answer(requestOf(authorization[k % authorization.length] as string), response, 'id'));
    }
    await Promise.all(answers);
  }
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / REQUESTS;
}

function requestOf(authorization: string): IncomingMessage {
  const request = new IncomingMessage(socket);
  request.method = 'GET';
  request.url = '/plants/1';
  request.httpVersion = '1.1';
  // As from a socket: a text of its own, whose hash nobody has computed yet.
  const own = Buffer.from(authorization).toString('latin1');
  request.rawHeaders = ['Host', 'localhost:8080', 'Authorization', own, 'Accept', '*/*'];
  request.headers = { host: 'localhost:8080', authorization: own, accept: '*/*' };
  return request;
}

async function jwtOf(): Promise<{ jwt: Authenticator; token: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = 'https://issuer.example';
  const token = await new SignJWT({ scope: 'plants:read plants:write', sub: 'bench' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: '1' })
    .setIssuer(issuer)
    .setAudience('plants')
    .setExpirationTime('1h')
    .sign(privateKey);
  const keys = { find: async () => exportJWK(publicKey), unusable: () => undefined };
  return { jwt: createJwtAuthenticator({ issuer, audience: 'plants', typ: 'at+jwt' }, keys, Date.now), token };
}

/** Tokens that are kept nowhere: what is measured is the copy in memory. */
function holding(records: readonly TokenRecord[]): TokenStore {
  return {
    add: async () => undefined,
    addFirst: async () => false,
    list: async () => records,
    revoke: async () => 0,
    revision: async () => 0n,
  };
}
