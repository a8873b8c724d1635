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

export interface HttpServer {
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
const METHOD_UNKNOWN = new Problem(40500, 'No path of this service has this method.', ['Allow', 'GET, HEAD, OPTIONS']);

type ConnectionLimits = Omit<Limits, 'maxBody' | 'maxUnread'>;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Comes when it may be answered; undefined where nothing was before it. */
  readonly turn: Promise<void> | undefined;
}

export function createHttpServer(
  pipeline: Pipeline,
  watch: Watch,
  limits: ConnectionLimits,
  tls: Tls | undefined,
  requestIds: (request: IncomingMessage | undefined) => string,
  log: Logger,
): HttpServer {
  let draining = false;
  let sweeping: NodeJS.Timeout | undefined;
  const connections = createConnections(limits.requestTimeout);
  /** The newest exchange of each connection: nothing may overtake it. */
  const newest = new WeakMap<Socket, Exchange>();

  const answer = async (request: IncomingMessage, response: ServerResponse, requestId: string) => {
    const began = performance.now();
    const reply = await pipeline(request, response, requestId);
    // A request whose rest is not HTTP may have been refused meanwhile, and the connection ended with it.
    if (reply === ABORTED || request.socket.writableEnded) return;
    watch(request, reply, requestId, performance.now() - began);
    // An upgrade is ignored (RFC 9110, 7.8), but Node reads no further request behind one.
    const last = draining || request.headers.upgrade !== undefined;
    // To a caller that still sends, Node's own end would take back an answer that closes the connection.
    if (!request.complete) request.socket.destroySoon = () => hangUp(ignoreInput(request.socket));
    try {
      respond(response, reply, requestId, last);
    } catch (error) {
      // A field that HTTP cannot hold. There should be none; but no answer may end the process.
      respond(response, problemReply(failure(error, request, requestId, log)), requestId, true);
    }
  };
  const answerInTurn = async ({ turn, request, response, requestId }: Exchange) => {
    const { socket } = request;
    // Until its turn comes nothing more is read: what waits on one connection stays small. Behind the message that is
    // being parsed, since its end makes Node read on.
    queueMicrotask(() => socket.pause());
    await turn;
    // A turn of the event loop for each, so that a long pipeline keeps nobody else waiting.
    await setImmediate();
    if (newest.get(socket)?.request === request) socket.resume();
    // Nothing is performed behind an answer that closes the connection (RFC 9112, 9.6).
    if (socket.writable) await answer(request, response, requestId);
  };
  const handle: RequestListener = (request, response) => {
    const requestId = requestIds(request);
    // RFC 9112, 9.3.2: requests pipelined on a connection overlap only where all are safe; here each waits for the last.
    const turn = flushed(newest.get(request.socket)?.response);
    const exchange = { request, response, requestId, turn };
    newest.set(request.socket, exchange);
    if (turn === undefined) void answer(request, response, requestId);
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
    const reply = problemReply(malformed(error, limits));
    if (exchange === undefined || exchange.request.complete) {
      inTurn(socket, flushed(exchange?.response), () => respondRaw(socket, reply, requestIds(undefined)));
    } else if (exchange.response.headersSent) {
      // The fault is in the body of a request that has its answer.
      inTurn(socket, flushed(exchange.response), () => hangUp(socket));
    } else {
      const { request, requestId, turn } = exchange;
      inTurn(socket, turn, () => respondRaw(socket, reply, requestId, request.method));
    }
  };

  const server = create(limits, tls, handle);
  server.maxConnections = limits.maxConnections;
  // Their bytes are limited; by their number Node would drop some without a word, and a credential among them.
  server.maxHeadersCount = 0;
  // A caller that has said all it will still waits for its answer (RFC 9112, 9.6); Node would close on it.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Under TLS the first is the bare socket, and the second comes when the handshake is over.
  server.on('connection', connections.add);
  server.on('secureConnection', connections.add);
  server.on('clientError', refuse);
  server.on('checkContinue', handle);
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', handle);
  server.on('connect', ({ socket }: IncomingMessage) => {
    // Node listens no longer, and an error that nobody listens for ends the process.
    socket.on('error', () => undefined);
    const respondTo = () => respondRaw(socket, problemReply(METHOD_UNKNOWN), requestIds(undefined));
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

/** When an answer has left, or nobody is left to take it; undefined where that is so already, and behind nothing. */
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
  };
  if (tls === undefined) return createServer(options, handle);
  // Loaded only where it is asked for.
  const https = process.getBuiltinModule('node:https');
  return https.createServer({ ...options, ...tls, handshakeTimeout: limits.requestTimeout }, handle);
}

function malformed(error: ClientError, limits: ConnectionLimits): Problem {
  switch (error.code) {
    case 'HPE_INVALID_METHOD':
      return isRequestLine(error) ? METHOD_UNKNOWN : NOT_HTTP;
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(40006, `The request line and header fields are over the limit of ${limits.maxHeader} bytes.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem(40006, `The request did not arrive within ${limits.requestTimeout} ms.`);
    default:
      return NOT_HTTP;
  }
}

/** RFC 9112, 3: whether the line that the parser stopped in is HTTP but for a method that Node does not know. */
function isRequestLine({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ClientError): boolean {
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
  return /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r\n/.test(rawPacket.toString('latin1', start));
}
