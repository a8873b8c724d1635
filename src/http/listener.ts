/** Listening for HTTP or HTTPS: its limits, and its end. */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { type AddressInfo, isIPv6, Server as NetServer } from 'node:net';
import { Problem, StartupError } from '../errors.ts';
import { createArrivals } from './arrivals.ts';
import { type ConnectionLimits, createConnections } from './connections.ts';
import { Exchange } from './exchange.ts';
import type { Observe, Pipeline } from './pipeline.ts';
import { createRefusal, respondRaw } from './refusal.ts';
import type { RequestIds } from './request.ts';
import { problemResponse } from './response.ts';
import type { Router } from './router.ts';
import { refusePlainHttp, type Tls } from './tls.ts';
import { createTurns } from './turns.ts';

interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** The option that chooses the port. */
  readonly flag: string;
  /** Whether other processes may listen on the same port; the system spreads connections over them. */
  readonly reusePort: boolean;
  readonly tls: Tls | undefined;
  readonly limits: ConnectionLimits;
  readonly pipeline: Pipeline;
  /** The pipeline's: for what Node's parser refuses. */
  readonly router: Router;
  readonly observers: readonly Observe[];
  readonly requestIds: RequestIds;
}

export interface Listener {
  readonly address: AddressInfo;
  /** Takes no new connections and lets requests under way finish, for so many milliseconds at most. */
  close(deadline: number): Promise<void>;
}

/**
 * An import of node:http would read each of its exports, also those that load what they need when they are first read: all
 * of undici, for WebSocket.
 */
const http = process.getBuiltinModule('node:http');

/** Time outs are looked for this often, in milliseconds. */
const CHECK_INTERVAL_MS = 500;
/** At the end, connections that have become idle are looked for this often, in milliseconds. */
const DRAIN_INTERVAL_MS = 20;
/** Longer than the idle time of the usual proxies, so that they close first and no request meets a closing socket. */
const KEEP_ALIVE_MS = 65_000;

const NO_TUNNEL = 'No path of this service supports this method.';

export async function listen(options: ListenerOptions): Promise<Listener> {
  const { host, port, reusePort, limits, requestIds } = options;
  const stopping = new AbortController();
  const connections = createConnections(limits.requestTimeout);
  const turns = createTurns(options.pipeline);
  const arrivals = createArrivals({
    maxHeader: limits.maxHeader,
    next: turns.add,
    refuse: (code, socket) => server.emit('clientError', Object.assign(new Error(code), { code }), socket),
  });
  const handle: RequestListener = (request, outgoing) =>
    arrivals.take(new Exchange(request, outgoing, requestIds(request), stopping.signal));

  const server = createNodeServer(options, handle);
  // Under TLS the first is the bare socket, and the second comes when the handshake is over.
  server.on('connection', connections.add);
  server.on('secureConnection', connections.add);
  server.on('connection', arrivals.add);
  server.on('secureConnection', arrivals.add);
  server.on('clientError', createRefusal({ ...options, turns, connections, arrivals }));
  if (options.tls !== undefined) {
    const response = problemResponse(
      new Problem(40006, 'This port serves HTTPS only: use a URL that begins with https://.'),
    );
    refusePlainHttp(server, (socket) => respondRaw(socket, response, requestIds(undefined)));
  }
  server.on('checkContinue', handle);
  // An unknown expectation may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', handle);
  server.on('connect', (request: IncomingMessage) => {
    const { socket } = request;
    // Node has given the socket away and no longer listens to it: without a listener an 'error' would end the process.
    socket.on('error', () => undefined);
    const response = problemResponse(new Problem(40500, NO_TUNNEL, { Allow: 'GET, HEAD, OPTIONS' }));
    turns.after(socket, () => respondRaw(socket, response, requestIds(request)));
  });
  server.listen({ port, host, reusePort, backlog: 4096 });
  await once(server, 'listening').catch((error: unknown) => {
    throw cannotListen(error, options.flag);
  });
  // Neither at once: the process may have been stopped for so long, and what happened meanwhile is not known yet.
  const sweeping = setInterval(() => setImmediate(connections.sweep), CHECK_INTERVAL_MS);
  server.on('timeout', (socket) => {
    const { bytesRead } = socket;
    setImmediate(() => socket.bytesRead === bytesRead && socket.destroy());
  });

  return {
    address: server.address() as AddressInfo,
    async close(deadline) {
      stopping.abort();
      const closed = once(server, 'close');
      // Not http's own, which destroys also those whose response was handed over and has not left.
      NetServer.prototype.close.call(server);
      // Not at once: what a client sent just now would be lost, and gets a response that closes the connection.
      const idling = setInterval(() => {
        // Node closes such itself, but knows of none before its TLS handshake.
        connections.destroySilent();
        if (!connections.anyPending()) server.closeIdleConnections();
      }, DRAIN_INTERVAL_MS);
      const timer = setTimeout(connections.destroy, deadline);
      await closed;
      clearTimeout(timer);
      clearInterval(idling);
      clearInterval(sweeping);
    },
  };
}

interface NetError {
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

/** The address is the one that the system's error names; it leaves out a port of 0. */
function cannotListen(error: unknown, flag: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const { code, hostname, address, port = 0 } = error as NodeJS.ErrnoException & NetError;
  const place = hostname ?? authority(address ?? '', port);
  const why = code === 'EADDRINUSE' ? `the port is taken; choose another with ${flag}` : code;
  return new StartupError(`cannot listen on ${place}: ${why}`);
}

/** Address and port as a URL writes them: an IPv6 address in brackets (RFC 3986, 3.2.2). */
export function authority(address: string, port: number): string {
  return `${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

function createNodeServer({ limits, tls }: ListenerOptions, handle: RequestListener): Server {
  const options: ServerOptions = {
    // Node refuses what is as long as its limit.
    maxHeaderSize: limits.maxHeader + 1,
    headersTimeout: limits.requestTimeout,
    requestTimeout: limits.requestTimeout,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node would respond without an Error object: the pipeline looks for Host itself.
    requireHostHeader: false,
    // A request without a body has no stream that would have to be read to its end.
    optimizeEmptyRequests: true,
  };
  // The second is loaded only where it is asked for.
  const server =
    tls === undefined
      ? http.createServer(options, handle)
      : process
          .getBuiltinModule('node:https')
          .createServer({ ...options, ...tls, handshakeTimeout: limits.requestTimeout }, handle);
  server.maxConnections = limits.maxConnections;
  // No limit on the number of header fields, whose bytes are limited: Node would silently drop those above it, perhaps
  // the credential.
  server.maxHeadersCount = 0;
  // A client that has closed its sending side still waits for its response (RFC 9112, 9.6); Node would close on it.
  return Object.assign(server, { httpAllowHalfOpen: true });
}
