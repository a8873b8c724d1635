/** Owns what every line of the log about a request tells of it. */
import type { IncomingMessage } from 'node:http';
import { traceFields } from '../observe/trace.ts';

export function requestFields({ headers, method, url }: IncomingMessage, requestId: string): object {
  return { requestId, ...traceFields(headers['traceparent']), method, path: pathOf(url ?? '/') };
}

/**
 * What is told of a target: its path alone, however odd the target is. Query and fragment hold values of the caller's, and
 * an authority may hold a password (RFC 3986, 3.2.1), also that of a scheme which is not served.
 */
function pathOf(url: string): string {
  return url.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*/s, '') || '/';
}
