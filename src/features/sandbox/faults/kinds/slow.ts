import type { BodyStream } from '../../../../contract/operation.ts';
import type { Exchange } from '../../../../http/exchange.ts';
import { isStream } from '../../../../http/response.ts';
import { type FaultKind, integer, type Writing } from '../fault-kind.ts';
import { sentBody } from '../sent-body.ts';
import { pause, pauseWithClient } from '../wait.ts';

/** The longest time that a slow response may take, in milliseconds. A longer body is written faster. */
const LONGEST = 30_000;
/** The longest time that the body of a message may take. After 15 s the attempt has failed. */
const LONGEST_MESSAGE = 10_000;
/** How many pieces are written in a second, for one slow response and for all slow responses together. */
const PIECES_A_SECOND = 10;
const ALL_PIECES_A_SECOND = 5_000;

export const slow: FaultKind<'rate'> = {
  does:
    'a body that arrives at `rate` bytes per second, or faster, so that it takes at most 30 s. For messages of ' +
    'webhooks, at most 10 s; an inbox gets the body immediately',
  example: { rate: 100 },
  needs: { rate: integer(1, undefined, 'bytes per second. The rate is higher if the body would take over 30 s') },
  waits: () => true,
  /** A client that has closed its sending side still gets the body slowly. */
  async write({ rate }, exchange, response, { write, countWaiting }) {
    const { outgoing, stopping, signal, request } = exchange;
    const pieceOf = (size: number) => nextPiece(rate, size, countWaiting);
    if (isStream(response.body) && request.method !== 'HEAD')
      return write(exchange, { ...response, body: slowStream(exchange, response.body, pieceOf) });
    const body = sentBody(exchange, response);
    if (body.length === 0) return write(exchange, response);
    outgoing.setHeader('Connection', 'close');
    outgoing.writeHead(response.status, response.headers);
    let at = 0;
    while (!stopping.aborted && !outgoing.destroyed) {
      const { length, ms } = pieceOf(body.length);
      if (at + length >= body.length) break;
      outgoing.write(body.subarray(at, at + length));
      await pause(ms, signal);
      at += length;
    }
    if (!outgoing.destroyed) outgoing.end(body.subarray(at));
    return undefined;
  },
  deliver({ rate }, { message, seconds, sign, send }) {
    const duration = (Buffer.byteLength(message.body) / rate) * 1_000;
    return send(message, sign(message, seconds), Math.min(duration, LONGEST_MESSAGE));
  },
};

interface NextPiece {
  readonly length: number;
  /** The milliseconds to wait after the piece. */
  readonly ms: number;
}

/** The bytes to write together, of a body or an event of `size` bytes. */
function nextPiece(atLeast: number, size: number, countWaiting: Writing['countWaiting']): NextPiece {
  const rate = Math.max(atLeast, (size / LONGEST) * 1_000);
  const pieces = Math.min(PIECES_A_SECOND, ALL_PIECES_A_SECOND / countWaiting());
  const length = Math.max(1, Math.floor(rate / pieces));
  return { length, ms: (length / rate) * 1_000 };
}

/** Sends each event, and each heartbeat, at a rate. */
function slowStream(exchange: Exchange, stream: BodyStream, pieceOf: (size: number) => NextPiece): BodyStream {
  return async function* (signal) {
    for await (const event of stream(signal)) {
      const bytes = Buffer.from(event);
      for (let at = 0; at < bytes.length; ) {
        const { length, ms } = pieceOf(bytes.length);
        yield bytes.subarray(at, at + length);
        await pauseWithClient(exchange, Math.min(ms, ((bytes.length - at) / length) * ms));
        at += length;
      }
    }
  };
}
