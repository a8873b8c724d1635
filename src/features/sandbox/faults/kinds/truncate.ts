import type { BodyStream } from '../../../../contract/operation.ts';
import { hangUp } from '../../../../http/connections/hang-up.ts';
import type { Exchange } from '../../../../http/exchange.ts';
import { headOf, isStream, type Response, sentBody } from '../../../../http/response.ts';
import type { Fault } from '../../sandbox.generated.ts';
import { eventMember, isEvent, reasonAgainstStream } from '../event-responses.ts';
import { type FaultKind, integer, oneOf, type PlannedFault } from '../fault-kind.ts';
import { pauseWithClient } from '../wait.ts';

export const truncate: FaultKind = {
  does: 'a response that ends too early, halfway through its body or after `bytes`',
  variations: [
    [{ part: 'head' }, 'a response that ends inside its head'],
    [{ framing: 'chunked' }, 'a cut body in chunks. With `close`: a cut body with neither chunks nor `Content-Length`'],
    [{ bytes: 0, ms: 5_000 }, 'the head, then silence for five seconds, then the end'],
    [{ event: 3 }, 'a stream of events that ends in the middle of its third event'],
  ],
  allows: {
    part: oneOf(
      ['body', 'head'],
      'the part of the response that ends too early. A response without a body is complete, unless the part is head. ' +
        'A stream of events ends in the middle of an event. Default: body',
    ),
    bytes: integer(
      0,
      undefined,
      'the number of bytes of the part that are sent. The last byte is never sent. For a stream: the number of bytes ' +
        'of the event. Default: half of them',
    ),
    framing: oneOf(
      ['length', 'chunked', 'close'],
      'what shows the client where the body ends. length: Content-Length. chunked: the chunks of Transfer-Encoding. ' +
        'close: only the end of the connection. A stream has no length, so its default is chunked. Default: length',
    ),
    ms: integer(
      1,
      30_000,
      'the milliseconds that the connection stays open and silent. Default: it closes immediately',
    ),
    ...eventMember('the place of the event in which the stream ends. A stream with fewer events is complete'),
  },
  pageSwitch: { label: 'Cut off responses halfway', rule: { fault: { kind: 'truncate' } } },
  reasonAgainst: ({ event }, operation, isStream) =>
    event === undefined ? undefined : reasonAgainstStream(operation, isStream),
  waits: ({ ms }) => ms !== undefined,
  losesResponse: ({ part }) => part === 'head',
  async write(fault, exchange, response, { write }) {
    const { part = 'body', bytes, framing, ms = 0 } = fault;
    if (part === 'body' && isStream(response.body))
      return write(exchange, truncateStream(fault, exchange, response, response.body));
    const body = sentBody(exchange, response);
    if (part === 'body' && body.length === 0) return write(exchange, response);
    const { head, start } = frame(response, body.length, framing);
    const whole = part === 'head' ? Buffer.from(head) : body;
    const cut = cutAt(whole, bytes);
    const { socket } = exchange.request;
    const sent = part === 'head' ? cut : Buffer.concat([Buffer.from(head + start), cut]);
    // Waits for a slow client here, since `hangUp` waits only a second for a client that sends nothing.
    await new Promise((resolve) => socket.write(sent, resolve));
    await pauseWithClient(exchange, ms);
    return hangUp(socket);
  },
};

function cutAt(whole: Buffer, bytes = whole.length / 2): Buffer {
  return whole.subarray(0, Math.min(bytes, whole.length - 1));
}

/** Sends a stream up to a byte of an event, then perhaps nothing for a time, and closes the connection. */
function truncateStream(fault: PlannedFault, exchange: Exchange, response: Response, stream: BodyStream): Response {
  const { event = 1, bytes, framing, ms = 0 } = fault;
  const { outgoing, request } = exchange;
  outgoing.setHeader('Connection', 'close');
  // Node then sends no Transfer-Encoding.
  if (framing === 'close') outgoing.removeHeader('Transfer-Encoding');
  const body: BodyStream = async function* (signal) {
    let events = 0;
    for await (const piece of stream(signal)) {
      const isLast = isEvent(piece) && ++events === event;
      yield isLast ? cutAt(Buffer.from(piece), bytes) : piece;
      if (!isLast) continue;
      await pauseWithClient(exchange, ms);
      hangUp(request.socket);
      return;
    }
  };
  return { ...response, body };
}

/** The head of a response, and the bytes before its body: a client finds the body's end in one of three ways. */
function frame({ status, headers }: Response, length: number, framing: Fault['framing'] = 'length') {
  const { 'Content-Length': _, ...others } = headers;
  const chunked = { ...others, 'Transfer-Encoding': 'chunked' };
  const framed = { length: headers, chunked, close: others }[framing];
  const head = headOf({ status, headers: { ...framed, Connection: 'close' } });
  return { head, start: framing === 'chunked' ? `${length.toString(16)}\r\n` : '' };
}
