import type { BodyStream } from '../../../../contract/operation.ts';
import { isStream, sentBody } from '../../../../http/response.ts';
import { type FaultKind, integer, type Writing } from '../fault-kind.ts';
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
    'a body that arrives at `rate` bytes per second, or faster if it would take over 30 s. For messages of webhooks, ' +
    'the limit is 10 s, and an inbox gets the body immediately',
  example: { rate: 100 },
  needs: { rate: integer(1, undefined, 'bytes per second. The rate is higher if the body would take over 30 s') },
  waits: () => true,
  write({ rate }, exchange, response, { write, countWaiting }) {
    const { body } = response;
    if (isStream(body)) {
      const wait = (milliseconds: number) => pauseWithClient(exchange, milliseconds);
      const slowed: BodyStream = async function* (signal) {
        for await (const event of body(signal)) yield* slowly(Buffer.from(event), rate, countWaiting, wait, signal);
      };
      return write(exchange, { ...response, body: slowed });
    }
    const whole = sentBody(exchange, response);
    if (whole.length === 0) return write(exchange, response);
    exchange.outgoing.setHeader('Connection', 'close');
    // A client that has closed its sending side still gets the body slowly.
    const wait = (milliseconds: number) => pause(milliseconds, exchange.signal);
    return write(exchange, { ...response, body: (signal) => slowly(whole, rate, countWaiting, wait, signal) });
  },
  deliver({ rate }, { message, seconds, sign, send }) {
    const duration = (Buffer.byteLength(message.body) / rate) * 1_000;
    return send(message, sign(message, seconds), Math.min(duration, LONGEST_MESSAGE));
  },
};

/** Sends a body, or an event or a heartbeat of a stream, at a rate. When the service stops, sends the rest. */
async function* slowly(
  bytes: Buffer,
  atLeast: number,
  countWaiting: Writing['countWaiting'],
  wait: (milliseconds: number) => Promise<void>,
  signal: AbortSignal,
) {
  const rate = Math.max(atLeast, (bytes.length / LONGEST) * 1_000);
  for (let at = 0; at < bytes.length; ) {
    const pieces = Math.min(PIECES_A_SECOND, ALL_PIECES_A_SECOND / countWaiting());
    const piece = bytes.subarray(at, signal.aborted ? undefined : at + Math.max(1, Math.floor(rate / pieces)));
    yield piece;
    await wait((piece.length / rate) * 1_000);
    at += piece.length;
  }
}
