/** What is not HTTP, or is not in time: refused on the bare socket, for which Node has no request and response. */
import type { Socket } from 'node:net';
import { Problem } from '../errors.ts';
import type { Arrivals } from './arrivals.ts';
import { type ConnectionLimits, type Connections, hangUp, ignoreInput } from './connections.ts';
import type { Observe } from './pipeline.ts';
import { headTooLong, type RequestIds } from './request.ts';
import { finishResponse, problemResponse, type Response } from './response.ts';
import type { Router } from './router.ts';
import type { Turns } from './turns.ts';

/** What Node tells of a request that its parser refused, or that did not arrive in time. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  /** Where in the packet it stopped. */
  readonly bytesParsed?: number;
}

interface RefusalParts {
  readonly turns: Turns;
  readonly connections: Connections;
  readonly arrivals: Arrivals;
  readonly router: Router;
  readonly observers: readonly Observe[];
  readonly requestIds: RequestIds;
  readonly limits: ConnectionLimits;
}

/** The result is for Node's 'clientError'. */
export function createRefusal(parts: RefusalParts): (error: ClientError, socket: Socket) => void {
  const { turns, connections, arrivals, observers } = parts;
  const refuse = (error: ClientError, socket: Socket) => {
    // There is no client left to be told, or none could be: a TLS handshake that came to nothing.
    if (error.code === 'ECONNRESET' || !socket.writable || !connections.has(socket)) {
      socket.destroy();
      return;
    }
    const method = methodOf(error, arrivals.begun(socket));
    ignoreInput(socket);
    const exchange = turns.newest(socket);
    const response = problemResponse(problemOf(error, parts));
    if (exchange === undefined || exchange.request.complete) {
      turns.after(socket, () => respondRaw(socket, response, parts.requestIds(undefined), method));
    } else if (exchange.outgoing.headersSent) {
      // What is malformed is the body of a request that has its response.
      turns.after(socket, () => hangUp(socket));
    } else {
      turns.at(exchange, () => {
        for (const observe of observers) observe(exchange, response);
        respondRaw(socket, response, exchange.id, exchange.request.method);
      });
    }
  };
  return (error, socket) => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') {
      refuse(error, socket);
      return;
    }
    // The process may have been stopped for so long: what arrived meanwhile is read first.
    const late = turns.newest(socket);
    const isBody = late?.request.complete === false;
    setImmediate(() => {
      const newest = turns.newest(socket);
      const hasArrived = newest?.request.complete && (isBody || newest !== late);
      if (!hasArrived) refuse(error, socket);
    });
  };
}

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Responds on the bare socket and closes the connection. */
export function respondRaw(socket: Socket, response: Response, id: string, method?: string): void {
  const { status, headers, body = '' } = finishResponse({ id, headers: { Connection: 'close' } }, response);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date().toUTCString()}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`);
  hangUp(socket);
}

/**
 * The method of a request whose head was not complete: of the last line that begins as a request's, in its beginning, or in
 * the packet where that has all of it.
 */
function methodOf({ rawPacket, bytesParsed = 0 }: ClientError, begun: string): string | undefined {
  const text = begun || (rawPacket?.toString('latin1', 0, bytesParsed) ?? '');
  return [...text.matchAll(/^([A-Z]+) /gm)].at(-1)?.[1];
}

const NOT_HTTP = 'The request is not well-formed HTTP/1.1.';

function problemOf(error: ClientError, { router, limits }: RefusalParts): Problem {
  switch (error.code) {
    case 'HPE_INVALID_METHOD':
      return methodProblem(error, router) ?? new Problem(40006, NOT_HTTP);
    case 'HPE_HEADER_OVERFLOW':
      return headTooLong(limits.maxHeader);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem(40006, `The request did not arrive within ${limits.requestTimeout} ms.`);
    default:
      return new Problem(40006, NOT_HTTP);
  }
}

/** RFC 9112, 3: where the line that the parser stopped in is HTTP but for a method that Node does not know. */
function methodProblem({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ClientError, router: Router) {
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
  const line = /^([\w!#$%&'*+.^`|~-]+) (\S+) HTTP\/1\.[01]\r\n/.exec(rawPacket.toString('latin1', start));
  if (line === null) return undefined;
  try {
    router.find(line[1] as string, line[2] as string);
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}
