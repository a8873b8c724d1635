/** Responses: the steps `encode`, `finish` and `write`, and the response for a Problem. */
import { once } from 'node:events';
import { types } from 'node:util';
import { redactTokens } from '../auth/redact-tokens.ts';
import type { AnyResult, AnySuccess, BodyStream } from '../contract/operation.ts';
import type { Schema } from '../contract/schema.ts';
import { Problem } from '../errors.ts';
import { ClientGone, type Exchange, type Finishable, type Matched } from './exchange.ts';
import { inTurn } from './in-turn.ts';
import { OPEN_RESPONSE, type Reserve, SHORT } from './reserve.ts';

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

export function jsonResponse(status: number, body: string): Response {
  return { status, headers: JSON_NO_STORE, body };
}

/** Takes tokens out of the message, for the client and the log: a client may put its token where a name belongs. */
export function problemResponse(problem: Problem): Response {
  problem.message = redactTokens(problem.message);
  const body = JSON.stringify({ error: problem.code, message: problem.message });
  const { status, headers } = problem;
  return { status, headers: { ...JSON_NO_STORE, ...headers }, body, problem };
}

/** The step `encode`: turns a handler's result into a response. The declared schema writes the body. */
export function createEncoder(reserve: Reserve) {
  return (exchange: Matched, result: AnyResult): Response | Promise<Response> => {
    if (result instanceof Problem) return problemResponse(result);
    const { status, headers, type = JSON_TYPE } = result;
    const caching = headers?.['ETag'] === undefined ? NO_STORE : REVALIDATE;
    const responseOf = (body: Response['body']): Response =>
      body === undefined
        ? { status, headers: { 'Cache-Control': caching, ...headers } }
        : { status, headers: { 'Content-Type': type, 'Cache-Control': caching, ...headers }, body };
    const body = bodyOf(exchange, result, reserve);
    return types.isPromise(body) ? body.then(responseOf) : responseOf(body);
  };
}

/** Throws if the operation does not declare the status or the media type. */
function bodyOf(exchange: Matched, { status, type, body }: AnySuccess, reserve: Reserve) {
  const { id, responses, otherTypes } = exchange.operation;
  if (type !== undefined && otherTypes?.[status]?.includes(type)) {
    const other = body as string | BodyStream;
    reserveLong(exchange, typeof other === 'string' ? Buffer.byteLength(other) : OPEN_RESPONSE, reserve);
    return other;
  }
  if (type !== undefined || !Object.hasOwn(responses, status)) {
    throw new Error(`${id} returned an undeclared ${status} ${type ?? ''}`);
  }
  const schema = responses[status];
  if (schema?.items !== undefined && Array.isArray(body)) return writeArray(exchange, body, schema.items, reserve);
  const text = schema?.write(body);
  if (text !== undefined) reserveText(exchange, text, reserve);
  return text;
}

/** The most bytes of a UTF-16 unit in UTF-8. */
const BYTES_OF_UNIT = 3;

function reserveText(exchange: Exchange, text: string, reserve: Reserve): void {
  // Most texts are so short that their bytes need not be counted.
  if (text.length * BYTES_OF_UNIT > SHORT) reserveLong(exchange, Buffer.byteLength(text), reserve);
}

/** Reserves the bytes of a long response, except those that are reserved already. */
function reserveLong(exchange: Exchange, bytes: number, reserve: Reserve): void {
  if (bytes <= Math.max(SHORT, exchange.reserved)) return;
  reserve(exchange, bytes - exchange.reserved);
  exchange.reserved = bytes;
}

/** How many items of an array are written before the time is read again. */
const SLICE = 16;
/** The longest that writing an array may keep other requests waiting, in milliseconds. A long page takes over 20 ms. */
const SLICE_MS = 1;

/** Writes an array slice by slice, and lets other requests come between the slices of a long array. */
function writeArray(exchange: Exchange, items: readonly unknown[], schemaOfItem: Schema<unknown>, reserve: Reserve) {
  let at = 0;
  const writeSome = (): string => {
    const until = performance.now() + SLICE_MS;
    let text = '';
    do {
      for (const end = Math.min(at + SLICE, items.length); at < end; at++) {
        text += at === 0 ? schemaOfItem.write(items[at]) : `,${schemaOfItem.write(items[at])}`;
      }
    } while (at < items.length && performance.now() < until);
    return text;
  };
  const first = writeSome();
  if (at < items.length) return writeRest();
  const whole = `[${first}]`;
  reserveText(exchange, whole, reserve);
  return whole;

  async function writeRest(): Promise<Buffer> {
    const pieces = [Buffer.from(`[${first}`)];
    let written = Buffer.byteLength(first);
    // The items stay in memory until the last one is written, so written bytes count only beyond their size.
    reserveLong(exchange, textSize(items), reserve);
    while (at < items.length) {
      const piece = await inTurn(exchange, () => Buffer.from(writeSome()));
      pieces.push(piece);
      written += piece.length;
      reserveLong(exchange, written, reserve);
    }
    return Buffer.concat([...pieces, Buffer.from(']')]);
  }
}

/** The bytes of all texts in a value: two for each UTF-16 unit. */
function textSize(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + textSize(part), 0);
}

/**
 * The step `finish`. CORS allows every origin without browser credentials, since tokens protect the data. `exposed`:
 * the fields that pages of other origins may read. `constant`: further fields of every response.
 */
export function createFinisher(exposed: readonly string[], constant: Headers) {
  const fields = [...new Set(exposed)].join(', ');
  return ({ id, headers }: Finishable, response: Response): Response => {
    const { body } = response;
    return {
      ...response,
      headers: {
        'X-Content-Type-Options': 'nosniff',
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': fields,
        ...constant,
        'X-Request-Id': id,
        ...response.headers,
        ...headers,
        ...fieldsOf(body),
      },
    };
  };
}

function fieldsOf(body: Response['body']): Headers {
  if (body === undefined) return {};
  // A proxy such as nginx would otherwise collect a stream, with its head, until a buffer is full.
  return isStream(body) ? { 'X-Accel-Buffering': 'no' } : { 'Content-Length': String(Buffer.byteLength(body)) };
}

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** The head of a response that Node does not write. */
export function headOf({ status, headers }: Pick<Response, 'status' | 'headers'>): string {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, `Date: ${new Date().toUTCString()}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The body that a response sends; empty for a stream, and for HEAD. */
export function sentBody({ request }: Finishable, { body = '' }: Response): Buffer {
  const sent = isStream(body) || request.method === 'HEAD' ? '' : body;
  return typeof sent === 'string' ? Buffer.from(sent) : sent;
}

/** Writes a response directly on the socket if Node has no response object for the request. */
export function writeBare(exchange: Finishable, response: Response): void {
  exchange.request.socket.write(Buffer.concat([Buffer.from(headOf(response)), sentBody(exchange, response)]));
}

/**
 * A longer body is written in pieces of this many bytes, each after the last was sent, so that connection.ts can see
 * whether the client reads.
 */
const PIECE = 65_536;

export function isStream(body: unknown): body is BodyStream {
  return typeof body === 'function';
}

/** The step `write`. Closes the connection if the service stops. */
export function writeResponse(exchange: Exchange, { status, headers, body }: Response): void | Promise<void> {
  const { outgoing, stopping } = exchange;
  if (stopping.aborted) outgoing.setHeader('Connection', 'close');
  const length = Number(headers['Content-Length']);
  outgoing.writeHead(status, headers);
  if (body === undefined) outgoing.end();
  else if (isStream(body)) return writeStream(exchange, body);
  else if (length > PIECE) writePieces(outgoing, typeof body === 'string' ? Buffer.from(body) : body, 0);
  // A body with as many bytes as characters is ASCII. With 'latin1' Node writes head and body together: faster.
  else outgoing.end(body, length === body.length ? 'latin1' : 'utf8');
  return undefined;
}

/** Writes each piece after the previous piece was sent. A failing stream cuts the connection. */
async function writeStream({ request, outgoing, signal }: Exchange, stream: BodyStream): Promise<void> {
  // The head is sent before the first piece exists.
  outgoing.flushHeaders();
  try {
    if (request.method !== 'HEAD') {
      for await (const piece of stream(signal)) {
        // Node counts a text in bytes at one place and in UTF-16 units at another, and may then never emit 'drain'.
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
        if (!outgoing.write(bytes)) await once(outgoing, 'drain', { signal });
      }
    }
    outgoing.end();
  } catch (error) {
    // A client that has closed only its side still gets the end.
    if (!signal.aborted && !(error instanceof ClientGone)) throw error;
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
