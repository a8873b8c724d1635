/** Owns request ids: the caller's own when it is sane, or a new one. */
import type { IncomingMessage } from 'node:http';

const SANE = /^[A-Za-z0-9._~-]{1,128}$/;

/** New ids are a prefix of this process and a count: unique, and cheaper than random bytes for each request. */
export function createRequestIds(prefix: string): (request: IncomingMessage | undefined) => string {
  let count = 0;
  return (request) => {
    const given = request?.headers['x-request-id'];
    if (typeof given === 'string' && SANE.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
