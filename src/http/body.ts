/** Owns reading a request's body: present, of the right media type, within the limit, JSON, and what the schema asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType } from 'node:util';
import { parseJson } from '../contract/json.ts';
import type { Operation } from '../contract/operation.ts';
import { Problem } from '../errors.ts';

/** The request ended before its body did: nobody is left to answer, or the answer is given elsewhere. */
export const ABORTED = Symbol('aborted');

type Body = { readonly value: unknown } | Problem | typeof ABORTED;

/** Reads and checks the body. `allowContinue` sends 100 Continue where the caller waits for it. */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  read: NonNullable<Operation['body']>,
  limit: number,
): Promise<Body> {
  const { headers } = request;
  const declared = headers['content-length'];
  const absent = declared === undefined ? headers['transfer-encoding'] === undefined : Number(declared) === 0;
  const tooLarge = declared !== undefined && Number(declared) > limit;
  const bytes = absent || tooLarge ? EMPTY : await collect(request, response, limit);
  if (bytes === ABORTED) return ABORTED;
  if (bytes !== TOO_LARGE && bytes.length === 0 && !tooLarge) {
    return new Problem(40001, 'The request has no body; it must be JSON.');
  }
  const fault = mediaTypeFault(headers['content-type'], headers['content-encoding']);
  if (fault !== undefined) return new Problem(40002, fault);
  if (bytes === TOO_LARGE || tooLarge) {
    return new Problem(40003, `The body is over the limit of ${limit} bytes.`);
  }
  const json = parseJson(bytes);
  if ('fault' in json) return new Problem(40004, `The body is not JSON in UTF-8: ${json.fault}.`);
  const reading = read(json);
  return 'faults' in reading ? new Problem(40005, `${reading.faults.join('; ')}.`) : reading;
}

const EMPTY = Buffer.alloc(0);
const TOO_LARGE = Symbol('too large');

/** The body's bytes. What is over the limit is read on and thrown away, so that the caller gets to read the answer. */
function collect(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<Buffer | typeof TOO_LARGE | typeof ABORTED> {
  // RFC 9110, 10.1.1: not for another expectation, and not for HTTP/1.0.
  if (request.headers.expect?.toLowerCase() === '100-continue' && request.httpVersion === '1.1') {
    response.writeContinue();
  }
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
    request.on('close', () => resolve(ABORTED));
    request.on('error', () => resolve(ABORTED));
  });
}

/** Why the media type is not application/json, in UTF-8 and not encoded, or undefined when it is. */
function mediaTypeFault(type: string | undefined, encoding: string | undefined): string | undefined {
  if (encoding !== undefined) return 'The body must be sent without a Content-Encoding.';
  if (type === 'application/json') return undefined;
  if (type === undefined) return 'The Content-Type is missing; it must be application/json.';
  try {
    const { essence, params } = new MIMEType(type);
    const charsetOnly = [...params].every(([name, value]) => name === 'charset' && value.toLowerCase() === 'utf-8');
    if (essence === 'application/json' && charsetOnly) return undefined;
  } catch {
    // Not a media type at all: the same answer.
  }
  return 'The Content-Type must be application/json, in UTF-8.';
}
