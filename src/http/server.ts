/** Owns the sockets: listening, limits, requests that are not HTTP, and the drain at the end. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Problem } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import { ABORTED } from './body.ts';
import { failure } from './failure.ts';
import type { Limits } from './limits.ts';
import type { Pipeline } from './pipeline.ts';
import { problemReply } from './reply.ts';
import { respond, respondRaw } from './respond.ts';
import type { Watch } from './watch.ts';

export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface HttpServer {
  /** `reusePort`: other processes may listen on the same port, and the system spreads connections over them. */
  listen(port: number, host: string, reusePort: boolean): Promise<AddressInfo>;
  /** Lets requests under way finish, for so many milliseconds at the most, and takes no new connections. */
  drain(deadline: number): Promise<void>;
}

/** Time outs are looked for this often, in milliseconds. */
const CHECK_INTERVAL_MS = 500;
/** Longer than the idle time of the usual proxies, so that they close first and no request meets a closing socket. */
const KEEP_ALIVE_MS = 65_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly answered: Promise<void>;
}

export function createHttpServer(
  pipeline: Pipeline,
  watch: Watch,
  limits: Limits,
  tls: Tls | undefined,
  requestIds: (request: IncomingMessage | undefined) => string,
  log: Logger,
): HttpServer {
  let draining = false;
  /** The newest exchange of each connection: an answer to what is not HTTP must not overtake it. */
  const newest = new WeakMap<Socket, Exchange>();

  const answer = async (request: IncomingMessage, response: ServerResponse, requestId: string) => {
    const began = performance.now();
    const reply = await pipeline(request, response, requestId);
    if (reply === ABORTED || response.headersSent) return;
    watch(request, reply, requestId, performance.now() - began);
    // An upgrade is ignored (RFC 9110, 7.8), but Node reads no further request behind one.
    const last = draining || request.headers.upgrade !== undefined;
    try {
      respond(response, reply, requestId, last);
    } catch (error) {
      // A field that HTTP cannot hold. There should be none; but no answer may end the process.
      respond(response, problemReply(failure(error, request, requestId, log)), requestId, true);
    }
  };
  const answerInTurn = async (
    turn: Promise<void>,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ) => {
    const { socket } = request;
    // Until its turn comes nothing more is read: what waits on one connection stays small.
    socket.pause();
    await turn;
    if (newest.get(socket)?.request === request) socket.resume();
    if (!socket.destroyed) await answer(request, response, requestId);
  };
  const handle: RequestListener = (request, response) => {
    const requestId = requestIds(request);
    const before = newest.get(request.socket);
    // RFC 9112, 9.3.2: requests pipelined on a connection overlap only where all are safe; here each waits for the last.
    const idle = before === undefined || before.response.writableEnded;
    const answered = idle
      ? answer(request, response, requestId)
      : answerInTurn(before.answered, request, response, requestId);
    newest.set(request.socket, { request, response, requestId, answered });
  };

  const refuse = (error: NodeJS.ErrnoException, socket: Socket) => {
    const exchange = newest.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const reply = problemReply(malformed(error, limits));
    if (exchange === undefined || exchange.response.writableFinished) {
      respondRaw(socket, reply, requestIds(undefined));
    } else if (!exchange.request.complete && !exchange.response.headersSent) {
      // The fault is in this request's own body.
      respond(exchange.response, reply, exchange.requestId, true);
    } else {
      exchange.response.once('finish', () => respondRaw(socket, reply, requestIds(undefined)));
    }
  };

  const server = create(limits, tls, handle);
  server.maxConnections = limits.maxConnections;
  // A caller that has said all it will still waits for its answer (RFC 9112, 9.6); Node would close on it.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('clientError', refuse);
  server.on('checkContinue', handle);
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', handle);
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node listens no longer, and an error that nobody listens for ends the process.
    socket.on('error', () => undefined);
    const problem = new Problem(40500, 'CONNECT is not a method of this service.', ['Allow', 'GET, HEAD, OPTIONS']);
    respondRaw(socket, problemReply(problem), requestIds(undefined));
  });

  return {
    async listen(port, host, reusePort) {
      server.listen({ port, host, reusePort, backlog: 4096 });
      await once(server, 'listening');
      return server.address() as AddressInfo;
    },
    async drain(deadline) {
      draining = true;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), deadline);
      await closed;
      clearTimeout(timer);
    },
  };
}

function create(limits: Limits, tls: Tls | undefined, handle: RequestListener): Server {
  const options: ServerOptions = {
    maxHeaderSize: limits.maxHeader,
    headersTimeout: limits.requestTimeout,
    requestTimeout: limits.requestTimeout,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node would answer without an Error object: the pipeline looks for Host itself.
    requireHostHeader: false,
  };
  return tls === undefined ? createServer(options, handle) : createTlsServer({ ...options, ...tls }, handle);
}

function malformed(error: NodeJS.ErrnoException, limits: Limits): Problem<40006> {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(40006, `The request line and header fields are over the limit of ${limits.maxHeader} bytes.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem(40006, `The request did not arrive within ${limits.requestTimeout} ms.`);
    default:
      return new Problem(40006, 'The request is not well-formed HTTP/1.1.');
  }
}
