/** Owns what is refused of a request that Node's parser lets through, since another server could read it differently. */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../errors.ts';

/** RFC 9112, 3.2, and RFC 3986, 3.2.2 and 3.2.3: empty too; neither a user nor a path. */
const HOST = /^(?:\[[\w.:%~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;
/** RFC 9110, 4.2.1 and 4.2.2: an http URI without a host is invalid, whatever its port. */
const NO_HOST = /^https?:\/\/(?::\d*)?(?:[/?#]|$)/i;

const CLOSE = { Connection: 'close' };

/** Why a request is not well-formed HTTP, or undefined when it is (RFC 9112, 2.3, 3.2 and 6.1). */
export function framingFault(request: IncomingMessage): Problem<40006> | undefined {
  const { headers, httpVersion } = request;
  // Of the versions that are not HTTP/1, Node's parser takes this one too, written as HTTP/1.1 is.
  if (httpVersion === '2.0') return malformed('its version must be HTTP/1.1 or HTTP/1.0', CLOSE);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return malformed('Transfer-Encoding must be chunked');
  }
  if (coding !== undefined && httpVersion !== '1.1') {
    return malformed(`HTTP/${httpVersion} has no Transfer-Encoding`, CLOSE);
  }
  if (NO_HOST.test(request.url ?? '')) return malformed('its target has no host');
  const { host } = headers;
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) {
    return malformed('Host must be given, as name or address and port');
  }
  if (isRepeated(request, 'host') || isRepeated(request, 'content-type')) {
    return new Problem(40006, 'Host and Content-Type must be given once.');
  }
  return undefined;
}

function malformed(why: string, headers?: Readonly<Record<string, string>>): Problem<40006> {
  return new Problem(40006, `The request is not well-formed HTTP: ${why}.`, headers);
}

/** Whether a header field, named in lower case, is there more than once: Node would keep one of them. */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let candidates = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.length === name.length) candidates++;
  // The lengths tell almost always: texts are compared only where they do not.
  if (candidates < 2) return false;
  return rawHeaders.filter((field, i) => i % 2 === 0 && field.toLowerCase() === name).length > 1;
}
