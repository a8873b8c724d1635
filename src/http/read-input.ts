/** The step `readInput`: reads parameters from path, query and header, then the body, by the description's schemas. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parseJson } from '../contract/json.ts';
import type { Parameter } from '../contract/operation.ts';
import type { Schema } from '../contract/schema.ts';
import { Problem } from '../errors.ts';
import { FairShare } from '../util/fair-share.ts';
import { siteOf } from './connections/client-address.ts';
import { type AnyInput, ClientGone, type Exchange, type Match, type Matched } from './exchange.ts';
import { decode } from './request.ts';
import type { Reserve } from './reserve.ts';

/**
 * The addresses take turns to continue requests whose bodies have arrived, as they do to begin requests
 * (connections/connection.ts). Many bodies can end in one turn of the event loop, although their heads came in others.
 */
const CONTINUING = new FairShare({ share: 1 });
/** A body of at most this many bytes is read immediately. Its JSON takes a tenth of a millisecond at most. */
const QUICK_BODY = 1_024;

/**
 * `maxBody`: the most bytes of a request body. `reserve` makes room for long bodies. The step throws a Problem (40001
 * to 40006, 42902, 50301) or ClientGone.
 */
export function createInputReader(maxBody: number, reserve: Reserve): (exchange: Matched) => Promise<AnyInput> {
  return async (exchange) => {
    const { match } = exchange;
    const parameters = readParameters(match, exchange.request.headers);
    const { body: schema, isBodyOptional = false } = match.operation;
    if (schema === undefined) {
      await skipBody(exchange);
      return { parameters, body: undefined };
    }
    const bytes = await readBytes(exchange, isBodyOptional, maxBody, reserve);
    const read = () => ({ parameters, body: readBody(bytes, schema) });
    if (bytes.length <= QUICK_BODY || CONTINUING.isFree(performance.now())) return read();
    return CONTINUING.run(siteOf(exchange.address), async () => {
      if (exchange.outgoing.destroyed) throw new ClientGone();
      return read();
    });
  };
}

/** The values by name, with defaults. Parameters that the description does not name are ignored. */
function readParameters({ operation, parameters, query }: Match, headers: IncomingHttpHeaders): AnyInput['parameters'] {
  const fields = readQuery(query);
  const valuesOf = ({ name, in: place }: Parameter) => {
    if (place === 'path') return [parameters[name]];
    if (place === 'query') return fields.get(name);
    // Node joins repeated header fields into one list.
    const field = headers[name.toLowerCase()] as string | undefined;
    // The patterns allow only spaces. A tab between list items means the same (RFC 9110, 5.6.3).
    return field === undefined ? undefined : [field.replaceAll('\t', ' ')];
  };
  const values: Record<string, unknown> = {};
  const errors: string[] = [];
  for (const parameter of operation.parameters) {
    const { name, required, fallback, schema } = parameter;
    const given = valuesOf(parameter);
    if (given === undefined) {
      if (required) errors.push(`${name} is missing`);
      else if (fallback !== undefined) values[name] = fallback;
    } else if (given.length > 1) errors.push(`${name} must be given once`);
    else if (given[0] === undefined) errors.push(`${name} must be percent-encoded UTF-8`);
    else values[name] = schema.readText(given[0], name, errors);
  }
  if (errors.length > 0) throw new Problem(40006, `${errors.join('; ')}.`);
  return values;
}

type QueryFields = ReadonlyMap<string, readonly (string | undefined)[]>;
const NO_FIELDS: QueryFields = new Map();

/** The fields of a query by name. A plus sign is a space. A value is undefined if it is not percent-encoded UTF-8. */
function readQuery(query: string): QueryFields {
  if (query === '') return NO_FIELDS;
  const fields = new Map<string, (string | undefined)[]>();
  for (const pair of query.replaceAll('+', '%20').split('&')) {
    const mark = pair.indexOf('=');
    const name = mark === -1 ? pair : pair.slice(0, mark);
    const key = decode(name) ?? name;
    const value = mark === -1 ? '' : decode(pair.slice(mark + 1));
    const values = fields.get(key);
    if (values === undefined) fields.set(key, [value]);
    else values.push(value);
  }
  return fields;
}

const NO_MEMBERS = Buffer.from('{}');

/** Checks a body in the documented order: presence, media type and size, and then in `readBody` JSON and schema. */
async function readBytes(exchange: Exchange, isOptional: boolean, maxBody: number, reserve: Reserve): Promise<Buffer> {
  const { headers } = exchange.request;
  const isTooLarge = Number(headers['content-length']) > maxBody;
  const bytes = isTooLarge ? undefined : await collect(exchange, maxBody, reserve);
  if (bytes?.length === 0 && isOptional) return NO_MEMBERS;
  if (bytes?.length === 0) throw new Problem(40001, 'The request has no body. Send a JSON body.');
  // Set before the checks, so that the record of requests shows also a body that they refuse.
  exchange.body = bytes;
  requireJson(headers);
  if (bytes === undefined) throw new Problem(40003, `The body is over the limit of ${maxBody} bytes.`);
  return bytes;
}

function readBody(bytes: Buffer, schema: Schema<unknown>): unknown {
  const json = parseJson(bytes);
  if ('error' in json) {
    const place = json.place === undefined ? '' : ` at line ${json.place.line}, column ${json.place.column}`;
    throw new Problem(40004, `The body is not JSON in UTF-8: ${json.error}${place}.`);
  }
  const errors: string[] = [];
  const value = schema.read(json.value, json.written, '', errors);
  if (errors.length > 0) throw new Problem(40005, `${errors.join('; ')}.`);
  return value;
}

const EMPTY = Buffer.alloc(0);

/**
 * The most bytes that a body of this length may take on the connection. A chunked body can take many times its length.
 * A chunk of 1 byte takes 6 bytes, and the client may already have sent the beginning of its next request. A body that
 * takes more is refused like a body over the limit.
 */
const mostDelivered = (length: number) => 6 * length + 262_144;

/** A body up to this many bytes is not counted, because the limits on connections bound its memory. */
const SHORT_BODY = 8_192;

/**
 * Reads the whole body. Undefined if it is longer than `maxBody`. Drops the rest, because clients read no response
 * while they send.
 */
function collect(exchange: Exchange, maxBody: number, reserve: Reserve): Promise<Buffer | undefined> {
  const { request } = exchange;
  if (!hasBody(exchange)) return Promise.resolve(EMPTY);
  inviteBody(exchange);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  let chunks: Buffer[] = [];
  let length = 0;
  const before = request.socket.bytesRead;
  const isPadded = () => request.socket.bytesRead - before > mostDelivered(length);
  const announced = Number(request.headers['content-length'] ?? maxBody);
  let isCounted = announced <= SHORT_BODY;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (!isCounted && length > SHORT_BODY && length <= maxBody) {
      isCounted = true;
      try {
        reserve(exchange, announced);
      } catch (error) {
        // The rest is dropped like that of a body over the limit.
        length = maxBody + 1;
        reject(error);
      }
    }
    if (length <= maxBody && !isPadded()) {
      chunks.push(chunk);
      // A small chunk takes more memory than its bytes.
      if (chunks.length === 1_024) chunks = [Buffer.concat(chunks)];
    } else {
      chunks = [];
      resolve(undefined);
    }
  });
  request.on('end', () => resolve(isPadded() ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  // 'close' also follows an aborted request. Without a listener Node emits no 'error' for it.
  request.on('close', () => request.readableEnded || reject(new ClientGone()));
  return promise;
}

/**
 * Waits for the end of a body that the operation ignores: a request with a malformed end must not change anything.
 * Requests that only read need not wait.
 */
async function skipBody(exchange: Exchange): Promise<void> {
  const { request } = exchange;
  if (request.method === 'GET' || request.method === 'HEAD' || request.complete || !hasBody(exchange)) return;
  inviteBody(exchange);
  await dropBody(request);
  if (!request.readableEnded) throw new ClientGone();
}

/** Drops the rest of a body. Resolves at its end, or when the client has left. */
export async function dropBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  request.resume();
  await new Promise<void>((resolve) => {
    request.once('end', resolve);
    request.once('close', resolve);
  });
}

/** RFC 9112, 6: one of these fields announces a body, which may be empty. */
function hasBody({ request: { headers } }: Exchange): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** An item in a list of expectations (RFC 9110, 10.1.1). */
const CONTINUE = /(?:^|,)[ \t]*100-continue[ \t]*(?:,|$)/i;

/** Sends 100 Continue if the client expects it, and never to HTTP/1.0 (RFC 9110, 10.1.1). */
function inviteBody({ request, outgoing }: Exchange): void {
  if (CONTINUE.test(request.headers.expect ?? '') && request.httpVersion === '1.1') outgoing.writeContinue();
}

/**
 * RFC 9110, 8.3.1 and 5.6.6: parameters may be empty. The charset may be quoted, repeated and in upper case. Only one
 * part of the pattern matches blanks before a semicolon, so that many blanks take linear time.
 */
export const JSON_IN_UTF8 = /^application\/json(?:[ \t]*;(?:[ \t]*charset=(?:utf-8|"utf-8"))?)*$/i;

function requireJson({ 'content-type': type, 'content-encoding': encoding }: IncomingHttpHeaders): void {
  // A list without a coding (RFC 9110, 5.6.1 and 8.4) means that there is none.
  if (encoding !== undefined && /[^, \t]/.test(encoding))
    throw new Problem(40002, 'The body must be sent without a Content-Encoding.');
  if (type === undefined) throw new Problem(40002, 'The Content-Type is missing; it must be application/json.');
  if (!JSON_IN_UTF8.test(type))
    throw new Problem(40002, `The Content-Type must be application/json, in UTF-8${wrongParameter(type)}.`);
}

const PARAMETER = /^([\w!#$%&'*+.^`|~-]{1,40})(?:=("?[\w.+-]{0,20}"?))?$/;

/** Names the first parameter that is not accepted. Its value is named only for a charset: others may be secrets. */
function wrongParameter(type: string): string {
  const [name = '', ...parameters] = type.split(';', 10).map((part) => part.trim());
  if (!/^application\/json$/i.test(name)) return '';
  const wrong = parameters.find((one) => !JSON_IN_UTF8.test(`application/json;${one}`));
  const [, parameter = '', value] = PARAMETER.exec(wrong ?? '') ?? [];
  if (parameter === '') return '. Its parameters are malformed; remove them';
  if (/^charset$/i.test(parameter)) return `. Its charset must be utf-8, not ${value || 'empty'}`;
  return `. It must not have the parameter ${parameter}; remove it`;
}
