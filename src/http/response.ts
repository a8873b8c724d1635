/** Responses: the steps `encode`, `finish` and `write`, and the response for a Problem. */
import { once } from 'node:events';
import type { AnyResult, AnySuccess, BodyStream, Operation } from '../contract/operation.ts';
import { Problem, retryLater } from '../errors.ts';
import { type Exchange, type Finishable, matchOf } from './exchange.ts';

export type Headers = Readonly<Record<string, string>>;

export interface Response {
  readonly status: number;
  readonly headers: Headers;
  /** Absent if the response has no content (204, 304). */
  readonly body?: string | Buffer | BodyStream;
  /** The Problem in the body, for the log and the metrics. */
  readonly problem?: Problem;
}

const JSON_TYPE = 'application/json';
const NO_STORE = 'no-store';
/** A client may keep the response, and must revalidate it by its entity tag. */
const REVALIDATE = 'private, no-cache';
const JSON_NO_STORE: Headers = { 'Content-Type': JSON_TYPE, 'Cache-Control': NO_STORE };

/** A response in JSON that no cache may keep. */
export function jsonResponse(status: number, body: string): Response {
  return { status, headers: JSON_NO_STORE, body };
}

export function problemResponse(problem: Problem): Response {
  const body = JSON.stringify({ error: problem.code, message: problem.message });
  return { status: problem.status, headers: { ...JSON_NO_STORE, ...problem.headers }, body, problem };
}

/**
 * The step `encode`: turns a handler's result into a response. The declared schema writes the body. `maxUnread`: the
 * most bytes of long responses and streams that may wait for their clients, over all connections.
 */
export function createEncoder(maxUnread: number) {
  const count = limitUnread(maxUnread);
  return (exchange: Exchange, result: AnyResult): Response => {
    if (result instanceof Problem) return problemResponse(result);
    const { status, headers, type = JSON_TYPE } = result;
    const body = bodyOf(matchOf(exchange).operation, result);
    const caching = headers?.['ETag'] === undefined ? NO_STORE : REVALIDATE;
    if (body === undefined) return { status, headers: { 'Cache-Control': caching, ...headers } };
    count(typeof body === 'string' ? Buffer.byteLength(body) : STREAM, exchange.outgoing);
    return { status, headers: { 'Content-Type': type, 'Cache-Control': caching, ...headers }, body };
  };
}

/** Throws if the operation does not declare the status or the media type. */
function bodyOf({ id, responses, otherTypes }: Operation, result: AnySuccess): string | BodyStream | undefined {
  const { status, type } = result;
  if (type === undefined && Object.hasOwn(responses, status)) return responses[status]?.write(result.body);
  if (type !== undefined && otherTypes?.[status]?.includes(type)) return result.body as string | BodyStream;
  throw new Error(`${id} returned an undeclared ${status} ${type ?? ''}`);
}

/** Responses up to this many bytes are not counted, because the limit on connections bounds their memory. */
const SHORT = 65_536;
/** Bytes that an open stream counts as. Only one of its pieces waits at a time, in addition to Node's buffers. */
const STREAM = SHORT + 1;

/** Counts long responses until they are sent: a page can be 12 MB. Throws a Problem (50301) over the limit. */
function limitUnread(limit: number): (length: number, outgoing: Exchange['outgoing']) => void {
  let waiting = 0;
  return (length, outgoing) => {
    // A destroyed response has already emitted 'close', so its bytes would never be subtracted.
    if (length <= SHORT || outgoing.destroyed) return;
    if (waiting + length > limit) throw retryLater(50301, 'Too many long responses wait for their clients', 1);
    waiting += length;
    outgoing.once('close', () => {
      waiting -= length;
    });
  };
}

export const EXPOSED_FIELDS =
  'ETag, Location, Link, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id';

/** The step `finish`. CORS allows every origin without browser credentials, since tokens protect the data. */
export function finishResponse({ id, headers }: Finishable, response: Response): Response {
  const { body } = response;
  return {
    ...response,
    headers: {
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': EXPOSED_FIELDS,
      'X-Request-Id': id,
      ...response.headers,
      ...headers,
      ...(body === undefined || isStream(body) ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    },
  };
}

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Writes a response directly on the socket if Node has no response object for the request. */
export function writeBare({ request }: Finishable, { status, headers, body = '' }: Response): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date().toUTCString()}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  const content = request.method === 'HEAD' || isStream(body) ? '' : body;
  request.socket.write(`${lines.join('\r\n')}\r\n\r\n${content}`);
}

/**
 * A longer body is written in pieces of this many bytes, each after the last was sent, so that connection.ts can see
 * whether the client reads.
 */
const PIECE = 65_536;

export function isStream(body: Response['body']): body is BodyStream {
  return typeof body === 'function';
}

/** The step `write`. Closes the connection if the service stops or the request asked for an upgrade. */
export function writeResponse(exchange: Exchange, { status, headers, body }: Response): void | Promise<void> {
  const { request, outgoing, stopping } = exchange;
  // The service ignores an upgrade (RFC 9110, 7.8), but Node reads no further request after one.
  if (stopping.aborted || request.headers.upgrade !== undefined) outgoing.shouldKeepAlive = false;
  outgoing.writeHead(status, headers);
  if (body === undefined) outgoing.end();
  else if (isStream(body)) return writeStream(exchange, body);
  else if (body.length > PIECE) writePieces(outgoing, typeof body === 'string' ? Buffer.from(body) : body, 0);
  // A body with as many bytes as characters is ASCII. With 'latin1' Node writes head and body at once, which is faster.
  else outgoing.end(body, Number(headers['Content-Length']) === body.length ? 'latin1' : 'utf8');
  return undefined;
}

/** Writes each piece after the previous piece was sent. A failing stream cuts the connection. */
async function writeStream({ request, outgoing, signal }: Exchange, stream: BodyStream): Promise<void> {
  // The head is sent before the first piece exists.
  outgoing.flushHeaders();
  try {
    if (request.method !== 'HEAD') {
      for await (const piece of stream(signal)) if (!outgoing.write(piece)) await once(outgoing, 'drain', { signal });
    }
    outgoing.end();
  } catch (error) {
    if (!signal.aborted) throw error;
    outgoing.end();
  }
}

function writePieces(outgoing: Exchange['outgoing'], body: Buffer, start: number): void {
  const end = start + PIECE;
  if (end >= body.length) outgoing.end(body.subarray(start));
  else {
    outgoing.write(body.subarray(start, end), (error) => {
      if (error == null) writePieces(outgoing, body, end);
    });
  }
}
