/** Owns the order of checks: path, method, credential, scope, rate, parameters, body, and then the operation itself. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Authenticator, bearerToken, type Credential, notValid, scopeMissing } from '../auth/credential.ts';
import type { RateLimiter } from '../auth/rate-limit.ts';
import type { Operation } from '../contract/operation.ts';
import { compileRouter, type Match } from '../contract/router.ts';
import { Problem, StartupError } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import { ABORTED, checkBody, readBody, skipBody } from './body.ts';
import { failure } from './failure.ts';
import { framingFault, isRepeated } from './framing.ts';
import type { Pages } from './page.ts';
import { type ParameterValues, readParameters } from './parameters.ts';
import { JSON_NO_STORE, JSON_REVALIDATE, problemReply, type Reply } from './reply.ts';
import { isWhole, readTarget } from './target.ts';
import { createUnread } from './unread.ts';

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
  /** Is called with each credential that may do what it asks for. The answer says why one may not. */
  readonly accepted: (() => void) | undefined;
  readonly rateLimiter: RateLimiter | undefined;
  readonly pages: Pages;
  /** The path that all addresses begin with, from the base URL; empty without one. */
  readonly prefix: string;
  readonly maxBody: number;
  readonly maxUnread: number;
  readonly log: Logger;
}

export interface Pipeline {
  /** Answers a request, or resolves to ABORTED when nobody is left to answer. Never rejects. */
  answer(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<Reply | typeof ABORTED>;
  /** Why a request to this target fails, whose method no path has. */
  refuseMethod(target: string): Problem;
}

interface Asked {
  readonly operation: Operation;
  readonly match: Match;
  readonly query: string;
}

export function createPipeline(parts: PipelineParts): Pipeline {
  const hidden = parts.operations.find(({ path }) => parts.pages.has(path));
  if (hidden !== undefined) throw new StartupError(`the description's path ${hidden.path} is a page of the service`);
  const match = compileRouter(parts.operations);
  const methods = new Set(['GET', 'HEAD', 'OPTIONS', ...parts.operations.map(({ method }) => method)]);
  const everyMethod = [...methods].sort().join(', ');
  const fields = fieldsOf(parts.operations);
  const countUnread = createUnread(parts.maxUnread);

  /** The methods of a path; undefined where there is no such path. */
  const allowOf = (path: string) => (parts.pages.has(path) ? 'GET, HEAD, OPTIONS' : match(path)?.route.allow);

  const refuse = (allow: string | undefined): Problem => {
    if (allow === undefined)
      return new Problem(40400, `There is no such path; ${parts.prefix}/openapi.json describes those that exist.`);
    return new Problem(40500, `The path does not support this method; it supports ${allow}.`, { Allow: allow });
  };

  /** What a request's path and method ask for: an operation, or else the answer. */
  const find = (request: IncomingMessage): Asked | Problem | Reply | Promise<Reply> => {
    const malformed = framingFault(request);
    if (malformed !== undefined) return malformed;

    if (request.method === 'OPTIONS' && isWhole(request.url ?? '')) return optionsReply(everyMethod, fields);

    const { path, query } = readTarget(request.url ?? '/', parts.prefix);
    const page = parts.pages.get(path);
    if (page !== undefined && isRead(request)) return page.get(request);
    const found = match(path);
    const operation = found?.route.operations.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
    if (found !== undefined && operation !== undefined) return { operation, match: found, query };

    const allow = allowOf(path);
    return request.method === 'OPTIONS' && allow !== undefined ? optionsReply(allow, fields) : refuse(allow);
  };

  /** `limits` takes the header fields that tell the rate limit, which every answer from there on carries. */
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    limits: string[],
  ): Promise<Reply | Problem | typeof ABORTED> => {
    const asked = find(request);
    if (!('operation' in asked)) return asked;
    const { operation } = asked;

    let credential: Credential | undefined;
    if (operation.scopes !== undefined) {
      const known = authenticate(request, parts.authenticator);
      // Mostly no promise: awaiting it nevertheless would cost a turn of the microtask queue.
      const who = known instanceof Promise ? await known : known;
      if (who instanceof Problem) return who;
      if (!operation.scopes.every((scope) => who.scopes.has(scope))) return scopeMissing(operation.scopes);
      parts.accepted?.();
      credential = who;
      if (parts.rateLimiter !== undefined) {
        const { fields, problem } = await parts.rateLimiter.admit(who.id);
        limits.push(...fields);
        if (problem !== undefined) return problem;
      }
    }

    const parameters = readParameters(operation, asked.match, asked.query, request.headers);
    if (parameters instanceof Problem) return parameters;

    let body: unknown;
    if (operation.body !== undefined) {
      const bytes = await readBody(request, response, parts.maxBody);
      if (bytes === ABORTED) return ABORTED;
      const checked = checkBody(bytes, request.headers, operation.body, parts.maxBody);
      if (checked instanceof Problem) return checked;
      body = checked.value;
    } else if (!isRead(request)) {
      // Read to its end first: a request whose end is malformed is refused, and must not have changed anything.
      const skipping = skipBody(request, response);
      if (skipping !== undefined && (await skipping) === ABORTED) return ABORTED;
    }

    const result = await parts.perform(operation, { parameters, body }, credential);
    if (result instanceof Problem) return result;
    const reply = resultReply(operation, result);
    countUnread(reply.body, response);
    return reply;
  };

  return {
    async answer(request, response, requestId) {
      const limits: string[] = [];
      let outcome: Reply | Problem | typeof ABORTED;
      try {
        outcome = await answer(request, response, limits);
      } catch (error) {
        outcome = failure(error, request, requestId, parts.log);
      }
      if (outcome === ABORTED) return ABORTED;
      const reply = outcome instanceof Problem ? problemReply(outcome) : outcome;
      return limits.length === 0 ? reply : { ...reply, headers: [...reply.headers, ...limits] };
    },
    refuseMethod: (target) => refuse(allowOf(readTarget(target, parts.prefix).path)),
  };
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
  if (isRepeated(request, 'authorization')) return notValid();
  const token = bearerToken(request.headers.authorization);
  return token instanceof Problem ? token : authenticator.authenticate(token);
}

function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

/**
 * What a page of another origin may send: every header field, since those that no operation names are ignored. The Fetch
 * standard's `*` does not stand for Authorization; those that are named hold also where a browser does not know it.
 */
function fieldsOf(operations: readonly Operation[]): string {
  const named = operations.flatMap(({ parameters }) => parameters.filter((one) => one.in === 'header'));
  const names = new Set(['*', 'Authorization', 'Content-Type', 'X-Request-Id', ...named.map(({ name }) => name)]);
  return [...names].sort().join(', ');
}

/** OPTIONS is answered for what exists, preflights included, and needs no credential. */
function optionsReply(allow: string, fields: string): Reply {
  const headers = [
    'Allow',
    allow,
    'Cache-Control',
    'no-store',
    'Access-Control-Allow-Methods',
    allow,
    'Access-Control-Allow-Headers',
    fields,
    'Access-Control-Max-Age',
    '7200',
  ];
  return { status: 204, headers, body: undefined };
}
