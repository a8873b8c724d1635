/** Requests pipelined on a connection, one at a time: RFC 9112, 9.3.2 lets them overlap only where all are safe. */
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Exchange } from './exchange.ts';
import type { Pipeline } from './pipeline.ts';

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(pipeline: Pipeline) {
  const newest = new WeakMap<Socket, Exchange>();
  /** What a request waits for; absent where nothing is before it. */
  const waiting = new WeakMap<Exchange, Promise<void>>();

  const addLater = async (exchange: Exchange, turn: Promise<void>) => {
    const { socket } = exchange.request;
    waiting.set(exchange, turn);
    // Until its turn comes, nothing more is read, so that little waits on one connection. In a microtask, since Node
    // resumes reading at the end of the message that is being parsed now.
    queueMicrotask(() => socket.pause());
    await turn;
    // A turn of the event loop for each, so that a long pipeline keeps no other client waiting.
    await setImmediate();
    if (newest.get(socket) === exchange) socket.resume();
    exchange.began = performance.now();
    // Nothing is performed behind a response that closes the connection (RFC 9112, 9.6).
    if (socket.writable) await pipeline(exchange);
  };
  return {
    /** Has a request responded to when all before it on its connection are. */
    add(exchange: Exchange): void {
      const { socket } = exchange.request;
      const turn = finished(newest.get(socket));
      newest.set(socket, exchange);
      if (turn === undefined) void pipeline(exchange);
      else void addLater(exchange, turn);
    },
    /** The newest request of a connection: nothing may overtake it. */
    newest: (socket: Socket) => newest.get(socket),
    /** Acts when the newest request of a connection has its response, unless the connection was ended before. */
    after: (socket: Socket, act: () => void) => whenWritable(socket, finished(newest.get(socket)), act),
    /** Acts when it is a request's turn, unless the connection was ended before. */
    at: (exchange: Exchange, act: () => void) => whenWritable(exchange.request.socket, waiting.get(exchange), act),
  };
}

/** Resolves when the response has left, or its client has; undefined where that is so already, or there is none. */
function finished(exchange: Exchange | undefined): Promise<void> | undefined {
  const outgoing = exchange?.outgoing;
  if (outgoing === undefined || outgoing.writableFinished) return undefined;
  return new Promise((resolve) => outgoing.once('close', resolve));
}

function whenWritable(socket: Socket, turn: Promise<void> | undefined, act: () => void): void {
  if (turn === undefined) act();
  else void turn.then(() => socket.writable && act());
}
