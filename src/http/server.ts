/** Owns the sockets: listening, limits, requests that are not HTTP, and the drain at the end. */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Problem } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import { ABORTED } from './body.ts';
import { createConnections } from './connections.ts';
import { failure } from './failure.ts';
import type { Limits } from './limits.ts';
import { createServer } from './node-http.ts';
import type { Pipeline } from './pipeline.ts';
import { problemReply } from './reply.ts';
import { hangUp, respond, respondRaw } from './respond.ts';
import type { Watch } from './watch.ts';

export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
}

interface ServerParts {
  readonly pipeline: Pipeline;
  readonly watch: Watch;
  readonly limits: ConnectionLimits;
  readonly tls: Tls | undefined;
  readonly requestIds: (request: IncomingMessage | undefined) => string;
  readonly log: Logger;
}

interface HttpServer {
  /** `reusePort`: other processes may listen on the same port, and the system spreads connections over them. */
  listen(port: number, host: string, reusePort: boolean): Promise<AddressInfo>;
  /** Lets requests under way finish, for so many milliseconds at the most, and takes no new connections. */
  drain(deadline: number): Promise<void>;
}

/** Time outs are looked for this often, in milliseconds. */
const CHECK_INTERVAL_MS = 500;
/** At the end, connections that have become idle are looked for this often, in milliseconds. */
const DRAIN_INTERVAL_MS = 20;
/** Longer than the idle time of the usual proxies, so that they close first and no request meets a closing socket. */
const KEEP_ALIVE_MS = 65_000;

/** What Node tells of a request that its parser refused, or that did not arrive in time. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  /** Where in the packet it stopped. */
  readonly bytesParsed?: number;
}

const NOT_HTTP = new Problem(40006, 'The request is not well-formed HTTP/1.1.');
const NO_TUNNEL = new Problem(40500, 'No path of this service supports this method.', { Allow: 'GET, HEAD, OPTIONS' });

type ConnectionLimits = Omit<Limits, 'maxBody' | 'maxUnread'>;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Comes when it may be answered; undefined where nothing was before it. */
  readonly turn: Promise<void> | undefined;
  /** When its head was there. */
  readonly began: number;
}

export function createHttpServer({ pipeline, watch, limits, tls, requestIds, log }: ServerParts): HttpServer {
  let draining = false;
  let sweeping: NodeJS.Timeout | undefined;
  const connections = createConnections(limits.requestTimeout);
  /** The newest exchange of each connection: nothing may overtake it. */
  const newest = new WeakMap<Socket, Exchange>();

  const answer = async ({ request, response, requestId }: Exchange, began: number) => {
    const reply = await pipeline.answer(request, response, requestId);
    // A request whose rest is not HTTP may have been refused meanwhile, and the connection ended with it.
    if (reply === ABORTED || request.socket.writableEnded) return;
    watch(request, reply, requestId, performance.now() - began);
    // An upgrade is ignored (RFC 9110, 7.8), but Node reads no further request behind one.
    const last = draining || request.headers.upgrade !== undefined;
    // While the caller is still sending, Node's way to end a connection would reset it, and the answer would be lost.
    if (!request.complete) request.socket.destroySoon = () => hangUp(ignoreInput(request.socket));
    try {
      respond(response, reply, requestId, last);
    } catch (error) {
      // A field that HTTP cannot hold. There should be none; but no answer may end the process.
      respond(response, problemReply(failure(error, request, requestId, log)), requestId, true);
    }
  };
  const answerInTurn = async (exchange: Exchange) => {
    const { request, turn } = exchange;
    const { socket } = request;
    // Until its turn comes, nothing more is read, so that little waits on one connection. In a microtask, since Node
    // resumes reading at the end of the message that is being parsed now.
    queueMicrotask(() => socket.pause());
    await turn;
    // A turn of the event loop for each, so that a long pipeline keeps nobody else waiting.
    await setImmediate();
    if (newest.get(socket)?.request === request) socket.resume();
    // Nothing is performed behind an answer that closes the connection (RFC 9112, 9.6).
    if (socket.writable) await answer(exchange, performance.now());
  };
  const handle: RequestListener = (request, response) => {
    const requestId = requestIds(request);
    // RFC 9112, 9.3.2: requests pipelined on a connection overlap only where all are safe; here each waits for the last.
    const turn = flushed(newest.get(request.socket)?.response);
    const exchange = { request, response, requestId, turn, began: performance.now() };
    newest.set(request.socket, exchange);
    if (turn === undefined) void answer(exchange, exchange.began);
    else void answerInTurn(exchange);
  };

  const refuse = (error: ClientError, socket: Socket) => {
    // Nobody is left to be told, or nobody could be: a TLS handshake that came to nothing.
    if (error.code === 'ECONNRESET' || !socket.writable || !connections.has(socket)) {
      socket.destroy();
      return;
    }
    ignoreInput(socket);
    const exchange = newest.get(socket);
    const reply = problemReply(malformed(error, limits, pipeline));
    if (exchange === undefined || exchange.request.complete) {
      inTurn(socket, flushed(exchange?.response), () => respondRaw(socket, reply, requestIds(undefined)));
    } else if (exchange.response.headersSent) {
      // The fault is in the body of a request that has its answer.
      inTurn(socket, flushed(exchange.response), () => hangUp(socket));
    } else {
      const { request, requestId, turn, began } = exchange;
      inTurn(socket, turn, () => {
        watch(request, reply, requestId, performance.now() - began);
        respondRaw(socket, reply, requestId, request.method);
      });
    }
  };

  const server = create(limits, tls, handle);
  server.maxConnections = limits.maxConnections;
  // No limit on the number of header fields, whose bytes are limited: Node would silently drop those above it, perhaps
  // the credential.
  server.maxHeadersCount = 0;
  // A caller that has closed its sending side still waits for its answer (RFC 9112, 9.6); Node would close on it.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Under TLS the first is the bare socket, and the second comes when the handshake is over.
  server.on('connection', connections.add);
  server.on('secureConnection', connections.add);
  server.on('clientError', refuse);
  server.on('checkContinue', handle);
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', handle);
  server.on('connect', (request: IncomingMessage) => {
    const { socket } = request;
    // Node has given the socket away and no longer listens to it: without a listener an 'error' would end the process.
    socket.on('error', () => undefined);
    const respondTo = () => respondRaw(socket, problemReply(NO_TUNNEL), requestIds(request));
    inTurn(socket, flushed(newest.get(socket)?.response), respondTo);
  });

  return {
    async listen(port, host, reusePort) {
      server.listen({ port, host, reusePort, backlog: 4096 });
      await once(server, 'listening');
      sweeping = setInterval(connections.sweep, CHECK_INTERVAL_MS);
      return server.address() as AddressInfo;
    },
    async drain(deadline) {
      draining = true;
      const closed = once(server, 'close');
      // Not http's own, which destroys also those whose answer was handed over and has not left.
      NetServer.prototype.close.call(server);
      // Not at once: what a caller sent just now would be lost, and is answered by one that closes the connection.
      const closeIdle = () => {
        // Node closes such itself, but knows of none before its TLS handshake.
        connections.destroySilent();
        if (!connections.anyPending()) server.closeIdleConnections();
      };
      const idling = setInterval(closeIdle, DRAIN_INTERVAL_MS);
      const timer = setTimeout(connections.destroy, deadline);
      await closed;
      clearTimeout(timer);
      clearInterval(idling);
      clearInterval(sweeping);
    },
  };
}

/** Resolves when an answer has left, or its caller has; undefined where that is so already, or there is no answer. */
function flushed(response: ServerResponse | undefined): Promise<void> | undefined {
  if (response === undefined || response.writableFinished) return undefined;
  return new Promise((resolve) => response.once('close', resolve));
}

/** Acts when the turn has come, unless the connection was ended before. */
function inTurn(socket: Socket, turn: Promise<void> | undefined, act: () => void): void {
  if (turn === undefined) act();
  else void turn.then(() => socket.writable && act());
}

/** Takes the socket from Node's parser: no request can come, and none be completed, on a connection that was refused. */
function ignoreInput(socket: Socket): Socket {
  // Where it waited for its turn Node's HTTP has stopped the reading, and would no longer begin it again.
  socket.emit('resume');
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  return socket.pause();
}

function create(limits: ConnectionLimits, tls: Tls | undefined, handle: RequestListener): Server {
  const options: ServerOptions = {
    // Node refuses what is as long as its limit.
    maxHeaderSize: limits.maxHeader + 1,
    headersTimeout: limits.requestTimeout,
    requestTimeout: limits.requestTimeout,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node would answer without an Error object: the pipeline looks for Host itself.
    requireHostHeader: false,
    // A request without a body has no stream that would have to be read to its end.
    optimizeEmptyRequests: true,
  };
  if (tls === undefined) return createServer(options, handle);
  // Loaded only where it is asked for.
  const https = process.getBuiltinModule('node:https');
  return https.createServer({ ...options, ...tls, handshakeTimeout: limits.requestTimeout }, handle);
}

function malformed(error: ClientError, limits: ConnectionLimits, pipeline: Pipeline): Problem {
  switch (error.code) {
    case 'HPE_INVALID_METHOD': {
      const target = targetOf(error);
      return target === undefined ? NOT_HTTP : pipeline.refuseMethod(target);
    }
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(40006, `The request line and header fields are over the limit of ${limits.maxHeader} bytes.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem(40006, `The request did not arrive within ${limits.requestTimeout} ms.`);
    default:
      return NOT_HTTP;
  }
}

/** RFC 9112, 3: the target, where the line that the parser stopped in is HTTP but for a method that Node does not know. */
function targetOf({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ClientError): string | undefined {
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
  return /^[\w!#$%&'*+.^`|~-]+ (\S+) HTTP\/1\.[01]\r\n/.exec(rawPacket.toString('latin1', start))?.[1];
}
