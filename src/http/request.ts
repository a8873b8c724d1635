/** Reads the head of a request: whether it is well-formed, its target, its id and its log fields. */
import type { IncomingMessage } from 'node:http';
import { isRepeated } from '../auth/authenticate.ts';
import { redactTokens } from '../auth/redact-tokens.ts';
import { Problem } from '../errors.ts';
import type { Exchange, RequestHead } from './exchange.ts';

/** RFC 9112, 3.2, and RFC 3986, 3.2.2 and 3.2.3: a host may be empty, and has neither a user nor a path. */
const HOST = /^(?:\[[\w.:%~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;
/** RFC 9110, 4.2.1, 4.2.2 and 4.2.4: an http URI without a host, or with a user, is invalid. */
const BAD_AUTHORITY = /^https?:\/\/(?!(?:\[[\w.:%~-]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?(?:[/?#]|$))/i;

/**
 * The most header fields of a request. Each field takes more memory than it takes bytes, and Node does not count the
 * colon and the line end of a field, so that 16,384 fields would be within `--max-header`.
 */
export const MAX_FIELDS = 100;

/**
 * Throws a Problem for a head with too many fields, or a malformed head that Node's parser accepts (RFC 9112, 2.3, 3.2
 * and 6.1).
 */
export function requireWellFormed({ request }: Exchange): void {
  const { headers, httpVersion, rawHeaders } = request;
  if (rawHeaders.length > 2 * MAX_FIELDS)
    throw new Problem(40006, `The request has more than ${MAX_FIELDS} header fields.`, CLOSE);
  // Node's parser accepts two other versions, and a line without a version, which it reports as 0.9.
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw malformed('its version must be HTTP/1.1 or HTTP/1.0', CLOSE);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw malformed('Transfer-Encoding must be chunked');
  }
  if (coding !== undefined && httpVersion !== '1.1') {
    throw malformed(`HTTP/${httpVersion} has no Transfer-Encoding`, CLOSE);
  }
  if (BAD_AUTHORITY.test(request.url ?? '')) throw malformed('its target must have a host, and no user');
  const { host } = headers;
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) {
    throw malformed('Host must be a name or an address, optionally with a port');
  }
  if (isRepeated(request, 'host') || isRepeated(request, 'content-type')) {
    throw new Problem(40006, 'Send Host and Content-Type only once.');
  }
}

const CLOSE = { Connection: 'close' };

function malformed(why: string, headers?: Readonly<Record<string, string>>): Problem<40006> {
  return new Problem(40006, `The request is not well-formed HTTP: ${why}.`, headers);
}

const AUTHORITY = /^https?:\/\/[^/?#]*/i;
/** A percent-encoded unreserved character (RFC 3986, 2.3), except where decoding would complete another encoding. */
const ENCODED_UNRESERVED = /(?<!%.?)%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi;

/**
 * Splits a target in origin or absolute form into path and query. The path is relative to the base URL's prefix, or
 * empty if it is not below the prefix. A target without a path has the path `/` (RFC 9110, 4.2.3).
 */
export function readTarget(target: string, prefix: string): { readonly path: string; readonly query: string } {
  const origin = target.startsWith('/') ? target : target.replace(AUTHORITY, '');
  const mark = origin.indexOf('?');
  const raw = mark === -1 ? origin : origin.slice(0, mark);
  const query = mark === -1 ? '' : origin.slice(mark + 1);
  const path = raw.includes('%') ? normalise(raw) : raw || '/';
  if (prefix === '') return { path, query };
  if (path === prefix) return { path: '/', query };
  return { path: path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : '', query };
}

/** Decodes percent-encoding. Undefined if the result is not UTF-8. */
export function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** RFC 3986, 6.2.2.2 and 6.2.2.1: decodes characters that need no encoding, and writes hex digits in upper case. */
function normalise(path: string): string {
  return path
    .replace(ENCODED_UNRESERVED, decodeURIComponent)
    .replace(/%[\da-f]{2}/gi, (encoded) => encoded.toUpperCase());
}

/** The prefix that a base URL gives to every path, normalised like the paths of requests. */
export function prefixOf(baseUrl: string | undefined): string {
  return baseUrl === undefined ? '' : readTarget(new URL(baseUrl).pathname, '').path.replace(/\/$/, '');
}

const VALID_ID = /^[A-Za-z0-9._~-]{1,128}$/;

export type RequestIds = (request: IncomingMessage | undefined) => string;

/** Returns the client's id if it is valid. A new id is a prefix and a count, which is cheaper than random bytes. */
export function createRequestIds(prefix: string): RequestIds {
  let count = 0;
  return (request) => {
    const given = request?.headers['x-request-id'];
    if (typeof given === 'string' && VALID_ID.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/**
 * The fields of a request in every line of the log, without tokens. Only the path of its target is logged: query and
 * fragment contain values of the client, and an authority may contain a password (RFC 3986, 3.2.1).
 */
export function logFields({ headers, method, url }: RequestHead, requestId: string): object {
  return { requestId: redactTokens(requestId), ...traceFields(headers['traceparent']), method, path: pathOf(url) };
}

/** Undefined if Node could not read the head, and for CONNECT, whose target is an authority. Tokens are left out. */
function pathOf(url: string | undefined): string | undefined {
  const path = url?.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*/s, '');
  if (path === '') return '/';
  return path !== undefined && /^[/*]/.test(path) ? redactTokens(path) : undefined;
}

/** W3C Trace Context, 3.2.2: no id may be all zeros, and version 00 ends with its flags. */
const TRACEPARENT = /^(?!ff|00-.{53})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;

/** The log fields for a traceparent. There are none if it is absent or malformed. */
export function traceFields(traceparent: unknown): { readonly traceId?: string; readonly spanId?: string } {
  if (typeof traceparent !== 'string') return {};
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined || spanId === undefined ? {} : { traceId, spanId };
}
