/** Owns reading a request's body: present, of the right media type, within the limit, JSON, and what the schema asks for. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '../contract/json.ts';
import type { Operation } from '../contract/operation.ts';
import { Problem } from '../errors.ts';

/** The connection ended before the body did: nobody is left to answer, or the server has answered a malformed body. */
export const ABORTED = Symbol('aborted');

/** The body's bytes, or that they are more than the limit: where Content-Length says so beforehand, none are read. */
type Bytes = Buffer | typeof TOO_LARGE | typeof ABORTED;

const EMPTY = Buffer.alloc(0);
const TOO_LARGE = Symbol('too large');

/** Reads the body whole; sends 100 Continue where the caller waits for it. */
export function readBody(request: IncomingMessage, response: ServerResponse, limit: number): Bytes | Promise<Bytes> {
  if (!hasBody(request)) return EMPTY;
  return Number(request.headers['content-length']) > limit ? TOO_LARGE : collect(request, response, limit);
}

/** Waits for the end of a body that nobody asked for, whatever it holds; undefined once it is there. */
export function skipBody(
  request: IncomingMessage,
  response: ServerResponse,
): undefined | Promise<undefined | typeof ABORTED> {
  if (request.complete || !hasBody(request)) return undefined;
  inviteBody(request, response);
  request.resume();
  return new Promise((resolve) => {
    request.on('end', () => resolve(undefined));
    request.on('close', () => resolve(ABORTED));
  });
}

/** RFC 9112, 6: one of the two fields tells of a body, which may be empty. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Checks a body in the documented order: present, media type, size, JSON, schema. */
export function checkBody(
  bytes: Exclude<Bytes, typeof ABORTED>,
  headers: IncomingHttpHeaders,
  read: NonNullable<Operation['body']>,
  limit: number,
): { readonly value: unknown } | Problem {
  if (bytes !== TOO_LARGE && bytes.length === 0) {
    return new Problem(40001, 'The request has no body; it must be JSON.');
  }
  const fault = mediaTypeFault(headers['content-type'], headers['content-encoding']);
  if (fault !== undefined) return new Problem(40002, fault);
  if (bytes === TOO_LARGE) return new Problem(40003, `The body is over the limit of ${limit} bytes.`);
  const json = parseJson(bytes);
  if ('fault' in json) return new Problem(40004, `The body is not JSON in UTF-8: ${json.fault}.`);
  const reading = read(json);
  return 'faults' in reading ? new Problem(40005, `${reading.faults.join('; ')}.`) : reading;
}

/** Bytes over the limit are read and thrown away: a caller that is still sending would not read the answer otherwise. */
function collect(request: IncomingMessage, response: ServerResponse, limit: number): Promise<Bytes> {
  inviteBody(request, response);
  return new Promise((resolve) => {
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        resolve(TOO_LARGE);
        first = undefined;
        more = undefined;
      } else if (first === undefined) first = chunk;
      else {
        more ??= [first];
        more.push(chunk);
      }
    });
    request.on('end', () => resolve(more === undefined ? (first ?? EMPTY) : Buffer.concat(more)));
    // 'close' comes after an aborted request as well, for which Node emits no 'error' unless somebody listens for it.
    request.on('close', () => resolve(ABORTED));
  });
}

/** One of a list of expectations (RFC 9110, 10.1.1). */
const CONTINUE = /(?:^|,)[ \t]*100-continue[ \t]*(?:,|$)/i;

/** RFC 9110, 10.1.1: not for another expectation alone, and not for HTTP/1.0. */
function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (CONTINUE.test(request.headers.expect ?? '') && request.httpVersion === '1.1') {
    response.writeContinue();
  }
}

/**
 * RFC 9110, 8.3.1 and 5.6.6: parameters, of which one may be empty; names, and the value of charset, in any case, a value
 * quoted or not. The charset may be given twice, but never differently. Blanks before a semicolon are matched in one
 * place only, so that many of them take no longer than they are.
 */
const JSON_IN_UTF8 = /^application\/json(?:[ \t]*;(?:[ \t]*charset=(?:utf-8|"utf-8"))?)*$/i;

/** Why the media type is not application/json, in UTF-8 and not encoded, or undefined when it is. */
function mediaTypeFault(type: string | undefined, encoding: string | undefined): string | undefined {
  if (encoding !== undefined) return 'The body must be sent without a Content-Encoding.';
  if (type === 'application/json') return undefined;
  if (type === undefined) return 'The Content-Type is missing; it must be application/json.';
  if (JSON_IN_UTF8.test(type)) return undefined;
  return 'The Content-Type must be application/json, in UTF-8.';
}
