/** Listens for HTTP or HTTPS, with limits, until the service stops. */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { ServeConfig } from '../../config.ts';
import { StartupError } from '../../errors.ts';
import { FairShare } from '../../util/fair-share.ts';
import { requireGrant } from '../../util/system-error.ts';
import { Exchange } from '../exchange.ts';
import type { LogClosed } from '../observers.ts';
import type { Pipeline } from '../pipeline.ts';
import { MAX_FIELDS, type RequestIds } from '../request.ts';
import type { Router } from '../router.ts';
import { addressList, Origin } from './client-address.ts';
import { Connection } from './connection.ts';
import { allowHalfOpen, stopListening } from './node-internals.ts';
import { Peers, type Reader } from './peers.ts';
import { type ClientError, clientProblem, LATE, plainHttpProblem, tunnelProblem } from './refusal.ts';

type Limits = Pick<
  ServeConfig,
  'maxHeader' | 'requestTimeout' | 'idleTimeout' | 'maxConnections' | 'maxConnectionsPerAddress' | 'trustProxy'
>;

interface ListenerOptions extends Pick<ServeConfig, 'host' | 'port' | 'reusePort'> {
  /** The option that chooses the port, or the options, for messages. */
  readonly flag: string;
  readonly tls: SecureContextOptions | undefined;
  /** Clients see `idleTimeout` in the field Keep-Alive. Node closes an idle connection a second later. */
  readonly limits: Limits;
  readonly pipeline: Pipeline;
  /** The pipeline's router. With it, a method that Node does not support gets 404 or 405. */
  readonly router: Router;
  readonly requestIds: RequestIds;
  /** Logs each connection that is closed because there are too many. Absent for the admin address. */
  readonly logClosed?: LogClosed;
}

export interface Listener {
  readonly address: AddressInfo;
  /** Accepts no new connections, and gives requests under way `deadline` milliseconds to finish. */
  close(deadline: number): Promise<void>;
}

/**
 * `import` would read every export of node:http. Some exports load modules when read: WebSocket loads all of undici.
 */
const http = process.getBuiltinModule('node:http');

/** Milliseconds between two checks for time-outs. */
const CHECK_INTERVAL_MS = 500;
/** Milliseconds between two checks for idle connections while the service stops. */
const DRAIN_INTERVAL_MS = 20;

/**
 * The open connections by socket. Node's own list lacks sockets within their TLS handshake, and detached sockets, as
 * for CONNECT.
 */
class Connections extends Map<Socket, Connection> {
  add(connection: Connection): void {
    const { socket } = connection;
    this.set(socket, connection);
    socket.once('close', () => this.delete(socket));
  }

  /** The bare connection under a TLS socket. Both have the same remote address and port. */
  below({ remoteAddress, remotePort }: Socket): Connection | undefined {
    return this.values().find(
      ({ socket }) => socket.remotePort === remotePort && socket.remoteAddress === remoteAddress,
    );
  }

  /** Whether a connection waits for its turn to be read. Its requests may have arrived. */
  hasHeld(): boolean {
    return this.values().some(({ isHeld }) => isHeld);
  }

  /** Whether bytes of a response have been written to a socket but have not left this process. */
  hasPending(): boolean {
    return this.keys().some((socket) => socket.writableLength > 0);
  }
}

export async function listen(options: ListenerOptions): Promise<Listener> {
  requireGrant('net');
  const { host, port, reusePort, limits, requestIds, pipeline, logClosed } = options;
  const stopping = new AbortController();
  const connections = new Connections();
  const peers = new Peers(limits.maxConnectionsPerAddress);
  const isTrusted = addressList(limits.trustProxy ?? []);
  const handle: RequestListener = (request, outgoing) => {
    const exchange = new Exchange(request, outgoing, requestIds(request), stopping.signal);
    connections.get(request.socket)?.add(exchange);
  };
  const server = createNodeServer(options, handle);
  const parts = { pipeline, requestIds, turns: new FairShare({ share: 1 }) };
  let opened = 0;
  const open = (socket: Socket, origin: Origin, reader?: Reader) =>
    connections.add(new Connection(socket, ++opened, parts, origin, reader));
  // Under TLS the first event has the TCP socket. The second event, after the handshake, has the TLS socket.
  server.on('connection', (socket: Socket) => {
    const origin = new Origin(socket, isTrusted);
    if (!peers.admit(socket, origin)) {
      logClosed?.('--max-connections-per-address', socket.remoteAddress);
      socket.destroy();
    } else open(socket, origin, options.tls === undefined ? peers.read(socket, origin) : undefined);
  });
  server.on('drop', (dropped) => logClosed?.('--max-connections', dropped?.remoteAddress));
  server.on('secureConnection', (socket: Socket) => {
    const origin = new Origin(socket, isTrusted);
    open(socket, origin, peers.read(socket, origin));
  });
  server.on('checkContinue', handle);
  // RFC 9110, 10.1.1: a server may ignore an unknown expectation.
  server.on('checkExpectation', handle);
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const connection = connections.get(socket);
    // The client is gone, or its TLS handshake failed.
    if (error.code === 'ECONNRESET' || connection === undefined) {
      socket.destroy();
      return;
    }
    const problem = clientProblem(error, options.router, limits);
    if (error.code === LATE) connection.refuseLate(problem, limits.requestTimeout);
    else connection.refuse(problem);
  });
  server.on('connect', (request: IncomingMessage) => {
    const { socket } = request;
    // Node no longer listens to this socket. Without a listener an 'error' would end the process.
    socket.on('error', () => undefined);
    connections.get(socket)?.refuse(tunnelProblem(), request);
  });
  // The event has the TLS socket. The response must be sent on the TCP socket under it.
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ERR_SSL_HTTP_REQUEST') connections.below(socket)?.refuse(plainHttpProblem());
  });
  // Without a host, Node listens on ::, or on 0.0.0.0 if the system has no IPv6.
  // In a worker of Node's cluster, the workers would otherwise share the port, although each may have its own store.
  server.listen({ port, host: host === '::' ? undefined : host, reusePort, exclusive: true, backlog: 4096 });
  await once(server, 'listening').catch((error: unknown) => {
    throw cannotListen(error, options.flag);
  });
  // Both checks wait for a turn of the event loop. After a suspension, Node first reads what has arrived.
  const sweep = () => {
    const now = performance.now();
    for (const connection of connections.values()) connection.sweep(now, limits.requestTimeout);
  };
  const sweeping = setInterval(() => setImmediate(sweep), CHECK_INTERVAL_MS);
  server.on('timeout', (socket) => {
    const { bytesRead } = socket;
    // A request that was pipelined may be under way.
    const isIdle = () => socket.bytesRead === bytesRead && connections.get(socket)?.isIdle !== false;
    setImmediate(() => isIdle() && socket.destroy());
  });

  return {
    address: server.address() as AddressInfo,
    async close(deadline) {
      stopping.abort();
      const closed = once(server, 'close');
      stopListening(server);
      const endIdle = () => {
        if (connections.hasHeld()) return;
        // Node's list of connections lacks those before their TLS handshake, whose clients have sent nothing at all.
        for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
        if (!connections.hasPending()) server.closeIdleConnections();
      };
      // Each check comes after a turn of the event loop, so that Node has read the requests that have arrived. In that
      // turn no connection may be held.
      const idling = setInterval(() => {
        if (!connections.hasHeld()) setImmediate(endIdle);
      }, DRAIN_INTERVAL_MS);
      const timer = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, deadline);
      await closed;
      clearTimeout(timer);
      clearInterval(idling);
      clearInterval(sweeping);
    },
  };
}

/** Why the system refuses, and what to do. `flag`: the option with the port. */
const LISTEN_ERRORS: Readonly<Record<string, (flag: string) => string>> = {
  EADDRINUSE: (flag) => `the port is taken; choose another with ${flag}`,
  EACCES: (flag) => `this user may not use this port; choose one from 1024 with ${flag}, or grant CAP_NET_BIND_SERVICE`,
  EADDRNOTAVAIL: (flag) => `this machine does not have the address; choose one of its own with ${hostOf(flag)}`,
  EAFNOSUPPORT: (flag) => `this machine has no IPv6; choose an IPv4 address with ${hostOf(flag)}`,
  EINVAL: (flag) => `the address is not complete; choose another with ${hostOf(flag)}`,
  ENOTFOUND: (flag) => `no such host; choose an address of this machine with ${hostOf(flag)}`,
};
/** --admin has both the address and the port. */
const hostOf = (flag: string) => (flag === '--admin' ? flag : '--host');

/** The system's error contains the address, but no port 0. */
function cannotListen(error: unknown, flag: string): unknown {
  if (!(Error.isError(error) && 'code' in error)) return error;
  const found = error as NodeJS.ErrnoException & Partial<AddressInfo> & { readonly hostname?: string };
  const { code, hostname, address, port = 0 } = found;
  const place = hostname ?? authority(address ?? '', port);
  const known = LISTEN_ERRORS[code ?? ''];
  const why = known === undefined ? code : known(flag);
  return new StartupError(`cannot listen on ${place}: ${why}`);
}

/** Address and port as a URL writes them: an IPv6 address in brackets (RFC 3986, 3.2.2). */
export function authority(address: string, port: number): string {
  return `${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

function createNodeServer({ limits, tls }: ListenerOptions, handle: RequestListener): Server {
  const options: ServerOptions = {
    // Node refuses a head that is exactly as long as its limit.
    maxHeaderSize: limits.maxHeader + 1,
    headersTimeout: limits.requestTimeout,
    requestTimeout: limits.requestTimeout,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: limits.idleTimeout,
    // Node's response would have no Error object. The pipeline checks Host itself.
    requireHostHeader: false,
    // Then a request without a body has no stream that must be read to its end.
    optimizeEmptyRequests: true,
  };
  // node:https is loaded only if it is needed.
  const server =
    tls === undefined
      ? http.createServer(options, handle)
      : process
          .getBuiltinModule('node:https')
          .createServer({ ...options, ...tls, handshakeTimeout: limits.requestTimeout }, handle);
  server.maxConnections = limits.maxConnections;
  // Node before 26.5.1 silently drops further fields, perhaps the credential. The pipeline refuses this number.
  server.maxHeadersCount = MAX_FIELDS + 1;
  return allowHalfOpen(server);
}
