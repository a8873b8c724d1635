/** The Problems of requests that Node's parser refuses, or that do not arrive in time. */
import type { ServeConfig } from '../../config.ts';
import { Problem } from '../../errors.ts';
import { MAX_FIELDS } from '../request.ts';
import type { Router } from '../router.ts';

/** The error of Node's event 'clientError'. */
export interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  /** The place in the packet where the parser stopped. */
  readonly bytesParsed?: number;
}

export const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

type Limits = Pick<ServeConfig, 'maxHeader' | 'requestTimeout'>;

export function clientProblem(error: ClientError, router: Router, limits: Limits): Problem {
  switch (error.code) {
    case 'HPE_INVALID_METHOD':
      return methodProblem(error, router) ?? notHttp();
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(
        40006,
        `The target and the header fields are over the limit of ${limits.maxHeader} bytes or ${MAX_FIELDS} fields.`,
      );
    case 'HPE_INVALID_URL':
      return new Problem(
        40006,
        'The request is not well-formed HTTP: its target must begin with a slash or http://, ' +
          'and every character outside ASCII must be percent-encoded.',
      );
    case LATE:
      return new Problem(40006, `The request did not arrive within ${limits.requestTimeout} ms.`);
    default:
      return notHttp();
  }
}

export function notHttp(): Problem {
  return new Problem(40006, 'The request is not well-formed HTTP/1.1.');
}

/** The router's Problem if a request line is valid except for a method that Node does not support (RFC 9112, 3). */
function methodProblem({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ClientError, router: Router) {
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
  const line = /^([\w!#$%&'*+.^`|~-]+) (\S+) HTTP\/1\.[01]\r\n/.exec(rawPacket.toString('latin1', start));
  if (line === null) return undefined;
  try {
    router.find(line[1] as string, line[2] as string);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error;
  }
}

/** For CONNECT, Node creates no response object. */
export function tunnelProblem(): Problem {
  return new Problem(40500, 'No path of this service supports this method.', { Allow: 'GET, HEAD, OPTIONS' });
}

export function plainHttpProblem(): Problem {
  return new Problem(40006, 'This port serves HTTPS only: use a URL that begins with https://.');
}
