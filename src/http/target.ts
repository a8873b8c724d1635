/** Owns reading the request target (RFC 9112, 3.2): its path and query, below the base URL's prefix. */

const AUTHORITY = /^https?:\/\/[^/?#]*/i;
const WHOLE = /^(?:\*|https?:\/\/[^/?#]*)$/i;

/** A percent-encoded unreserved character (RFC 3986, 2.3), unless half an encoding before it would become a whole one. */
const ENCODED_UNRESERVED = /(?<!%.?)%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi;

/** Path and query of a target, in origin or absolute form. An empty path is `/` (RFC 9110, 4.2.3). */
export function readTarget(url: string, prefix: string): { path: string; query: string } {
  const origin = url.startsWith('/') ? url : url.replace(AUTHORITY, '');
  const mark = origin.indexOf('?');
  const raw = mark === -1 ? origin : origin.slice(0, mark);
  const query = mark === -1 ? '' : origin.slice(mark + 1);
  const path = raw.includes('%') ? normalised(raw) : raw || '/';
  if (prefix === '') return { path, query };
  if (path === prefix) return { path: '/', query };
  return { path: path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : '', query };
}

/** Whether an OPTIONS asks about the service as a whole: by `*`, or by an empty path (RFC 9110, 9.3.7 and 4.2.3). */
export function isWhole(url: string): boolean {
  return WHOLE.test(url);
}

/** RFC 3986, 6.2.2.2 and 6.2.2.1: what needs no encoding is the character itself, and hex digits are of either case. */
function normalised(path: string): string {
  return path
    .replace(ENCODED_UNRESERVED, decodeURIComponent)
    .replace(/%[\da-f]{2}/gi, (encoded) => encoded.toUpperCase());
}
