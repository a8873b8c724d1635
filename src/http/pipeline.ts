/** Owns the order of checks: path, method, credential, scope, rate, parameters, body, and then the operation itself. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Authenticator, bearerToken, type Credential, notValid, scopeMissing } from '../auth/credential.ts';
import type { RateLimiter } from '../auth/rate-limit.ts';
import type { Operation } from '../contract/operation.ts';
import { compileRouter, type Match } from '../contract/router.ts';
import { Problem, StoreFailure, type StoreFailureReason } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import { traceFields } from '../observe/trace.ts';
import { ABORTED, readBody } from './body.ts';
import type { Pages } from './page.ts';
import { type ParameterValues, readParameters } from './parameters.ts';
import { JSON_NO_STORE, JSON_REVALIDATE, problemReply, type Reply } from './reply.ts';

/** What an operation's handler answers: a declared response or a problem. */
export type Result =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  | Problem;

/** Runs an operation's handler for a credential's store. */
export type Perform = (
  operation: Operation,
  input: { readonly parameters: ParameterValues; readonly body: unknown },
  credential: Credential | undefined,
) => Result | Promise<Result>;

export interface PipelineParts {
  readonly operations: readonly Operation[];
  readonly perform: Perform;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter | undefined;
  readonly pages: Pages;
  /** The path that all addresses begin with, from the base URL; empty without one. */
  readonly prefix: string;
  readonly maxBody: number;
  readonly log: Logger;
}

/** Answers a request, or resolves to ABORTED when nobody is left to answer. Never rejects. */
export type Pipeline = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
) => Promise<Reply | typeof ABORTED>;

export function createPipeline(parts: PipelineParts): Pipeline {
  const match = compileRouter(parts.operations);
  const methods = new Set(['GET', 'HEAD', 'OPTIONS', ...parts.operations.map(({ method }) => method)]);
  const everyMethod = [...methods].sort().join(', ');

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): Promise<Result | Reply | typeof ABORTED> => {
    const malformed = framingFault(request);
    if (malformed !== undefined) return malformed;

    // RFC 9110, 9.3.7: the service as a whole.
    if (request.url === '*' && request.method === 'OPTIONS') return methodRefused(request, everyMethod);

    const target = readTarget(request.url ?? '/', parts.prefix);
    const page = parts.pages.get(target.path);
    if (page !== undefined) {
      if (isRead(request)) return page.get(request);
      return methodRefused(request, 'GET, HEAD, OPTIONS');
    }
    const found = match(target.path);
    if (found === undefined)
      return new Problem(40400, 'There is no such path; /openapi.json describes those there are.');

    const operation = found.route.operations.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
    if (operation === undefined) return methodRefused(request, found.route.allow);

    let credential: Credential | undefined;
    if (operation.scopes !== undefined) {
      const answered = authenticate(request, parts.authenticator);
      // Mostly known at once: then without another turn of the microtask queue.
      const who = answered instanceof Promise ? await answered : answered;
      if (who instanceof Problem) return who;
      if (!operation.scopes.every((scope) => who.scopes.has(scope))) return scopeMissing(operation.scopes);
      credential = who;
    }
    const act = () => operate(operation, found, target.query, credential, request, response);
    if (credential === undefined || parts.rateLimiter === undefined) return act();
    const { fields, problem } = await parts.rateLimiter.admit(credential.id);
    const reply = await settle(request, requestId, async () => problem ?? act());
    return reply === ABORTED ? reply : { ...reply, headers: [...reply.headers, ...fields] };
  };

  const operate = async (
    operation: Operation,
    found: Match,
    query: string,
    credential: Credential | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Reply | Problem | typeof ABORTED> => {
    const parameters = readParameters(operation, found, query, request.headers);
    if (parameters instanceof Problem) return parameters;
    let body: unknown;
    if (operation.body !== undefined) {
      const read = await readBody(request, response, operation.body, parts.maxBody);
      if (read === ABORTED || read instanceof Problem) return read;
      body = read.value;
    }
    const result = await parts.perform(operation, { parameters, body }, credential);
    return result instanceof Problem ? result : resultReply(operation, result);
  };

  const settle = async (
    request: IncomingMessage,
    requestId: string,
    work: () => Promise<Result | Reply | typeof ABORTED>,
  ): Promise<Reply | typeof ABORTED> => {
    try {
      const result = await work();
      if (result === ABORTED) return ABORTED;
      return result instanceof Problem ? problemReply(result) : (result as Reply);
    } catch (error) {
      return problemReply(failure(error, request, requestId, parts.log));
    }
  };

  return (request, response, requestId) => settle(request, requestId, () => answer(request, response, requestId));
}

/** A handler's value as an answer, its body written by the declared schema. */
function resultReply(operation: Operation, { status, headers, body }: Exclude<Result, Problem>): Reply {
  if (!operation.responses.has(status)) throw new Error(`${operation.id} answered an undeclared ${status}`);
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] as string);
  const common = headers?.['ETag'] === undefined ? JSON_NO_STORE : JSON_REVALIDATE;
  const serialise = operation.responses.get(status);
  if (serialise === undefined) return { status, headers: [...common.slice(2), ...fields], body: undefined };
  return { status, headers: fields.length === 0 ? common : [...common, ...fields], body: serialise(body) };
}

function authenticate(
  request: IncomingMessage,
  authenticator: Authenticator,
): ReturnType<Authenticator['authenticate']> {
  // Of two Authorization fields Node keeps the first: which one counts must not depend on who reads them.
  if (occurrences(request, 'authorization') > 1) return notValid();
  const token = bearerToken(request.headers.authorization);
  return token instanceof Problem ? token : authenticator.authenticate(token);
}

function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

/** OPTIONS is answered for what exists, preflights included, and needs no credential. */
function methodRefused(request: IncomingMessage, allow: string): Reply | Problem {
  if (request.method !== 'OPTIONS') {
    return new Problem(40500, `${request.method} is not a method of this path; ${allow} are.`, ['Allow', allow]);
  }
  const headers = [
    'Allow',
    allow,
    'Cache-Control',
    'no-store',
    'Access-Control-Allow-Methods',
    allow,
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, If-Match, If-None-Match, X-Request-Id',
    'Access-Control-Max-Age',
    '7200',
  ];
  return { status: 204, headers, body: undefined };
}

/** What Node's parser lets through and another server on the way could read differently (RFC 9112, 3.2 and 6.1). */
function framingFault(request: IncomingMessage): Problem<40006> | undefined {
  const { headers } = request;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return new Problem(40006, 'The request is not well-formed HTTP: Transfer-Encoding must be chunked.');
  }
  if (headers.host === undefined && request.httpVersion === '1.1') {
    return new Problem(40006, 'The request is not well-formed HTTP: Host is missing.');
  }
  if (occurrences(request, 'host') > 1 || occurrences(request, 'content-type') > 1) {
    return new Problem(40006, 'Host and Content-Type must be given once.');
  }
  return undefined;
}

function occurrences({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i] as string;
    if (field.length === name.length && field.toLowerCase() === name) count++;
  }
  return count;
}

/** Path and query of a request target, in origin or absolute form (RFC 9112, 3.2), below the prefix. */
export function readTarget(url: string, prefix: string): { path: string; query: string } {
  const origin = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = origin.indexOf('?');
  const path = mark === -1 ? origin : origin.slice(0, mark);
  const query = mark === -1 ? '' : origin.slice(mark + 1);
  if (prefix === '') return { path, query };
  if (path === prefix) return { path: '/', query };
  return { path: path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : '', query };
}

const UNAVAILABLE: Readonly<Record<StoreFailureReason, () => Problem>> = {
  unreachable: () => unavailable(50300, 'cannot be reached', 1),
  overloaded: () => unavailable(50301, 'is overloaded', 1),
  'out-of-space': () => unavailable(50302, 'is out of space', 10),
};

function unavailable(code: 50300 | 50301 | 50302, what: string, seconds: number): Problem {
  return new Problem(code, `The store ${what}; retry after ${seconds} s.`, ['Retry-After', String(seconds)]);
}

/** What went wrong on our side: opaque outside, told whole in the log. */
function failure(error: unknown, request: IncomingMessage, requestId: string, log: Logger): Problem {
  const fields = { err: error, requestId, ...traceFields(request.headers['traceparent']) };
  if (error instanceof StoreFailure) {
    log.error(fields, 'the store could not serve');
    return UNAVAILABLE[error.reason]();
  }
  log.error(fields, 'a request failed');
  return new Problem(50000, "The service failed; its log holds the details under this answer's X-Request-Id.");
}
