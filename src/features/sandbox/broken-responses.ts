/** Responses that leave the description on purpose, or that break off: the faults of sandboxes. */
import type { Socket } from 'node:net';
import type { BodyStream } from '../../contract/operation.ts';
import { hangUp } from '../../http/connections/connection.ts';
import type { Exchange } from '../../http/exchange.ts';
import { headOf, isStream, type Response } from '../../http/response.ts';
import { isEvent } from './event-faults.ts';
import type { PlannedFault, Writing } from './planned-fault.ts';
import type { Fault } from './sandbox.generated.ts';
import { pause, pauseWithClient } from './wait.ts';

const MEDIA = { html: 'text/html', text: 'text/plain', json: 'application/json' } as const;

/** An error as a proxy in front of the service sends it. Its body is the visitor's. */
export function proxyResponse({ status = 0, retry, form, media, body = '' }: Fault, now: number): Response {
  const date = new Date(Math.ceil(now / 1_000 + (retry ?? 0)) * 1_000).toUTCString();
  const headers = {
    'Cache-Control': 'no-store',
    // No browser runs the visitor's HTML with the origin of the service.
    'Content-Security-Policy': 'sandbox',
    ...(media !== undefined && { 'Content-Type': MEDIA[media] }),
    ...(retry !== undefined && { 'Retry-After': form === 'date' ? date : String(retry) }),
  };
  return { status, headers, body, isRequested: true };
}

/** Closes a connection with RST. Under TLS Node cannot send RST: the client sees an end without TLS's close_notify. */
export function reset(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** The body that a response sends; empty for a stream. */
function bodyOf({ request }: Exchange, { body = '' }: Response): Buffer {
  const sent = isStream(body) || request.method === 'HEAD' ? '' : body;
  return typeof sent === 'string' ? Buffer.from(sent) : sent;
}

/** Sends a response up to a byte of its head or body, then perhaps nothing for a time, and closes the connection. */
export async function truncate(fault: PlannedFault, exchange: Exchange, response: Response, { write }: Writing) {
  const { part = 'body', bytes, framing, ms = 0 } = fault;
  if (part === 'body' && isStream(response.body))
    return write(exchange, truncateStream(fault, exchange, response, response.body));
  const body = bodyOf(exchange, response);
  if (part === 'body' && body.length === 0) return write(exchange, response);
  const { head, start } = frame(response, body.length, framing);
  const whole = part === 'head' ? Buffer.from(head) : body;
  const cut = cutAt(whole, bytes);
  const { socket } = exchange.request;
  const sent = part === 'head' ? cut : Buffer.concat([Buffer.from(head + start), cut]);
  // `hangUp` waits only a second for the client.
  await new Promise((resolve) => socket.write(sent, resolve));
  await pauseWithClient(exchange, ms);
  return hangUp(socket);
}

function cutAt(whole: Buffer, bytes = whole.length / 2): Buffer {
  return whole.subarray(0, Math.min(bytes, whole.length - 1));
}

/** Sends a stream up to a byte of an event, then perhaps nothing for a time, and closes the connection. */
function truncateStream(fault: PlannedFault, exchange: Exchange, response: Response, stream: BodyStream) {
  const { event = 1, bytes, framing, ms = 0 } = fault;
  const { outgoing, request } = exchange;
  outgoing.shouldKeepAlive = false;
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

/** The longest time that a slow response may take, in milliseconds. A longer body is written faster. */
const LONGEST_SLOW = 30_000;
/** How many pieces are written in a second, for one slow response and for all slow responses together. */
const PIECES_A_SECOND = 10;
const ALL_PIECES_A_SECOND = 5_000;

/** Writes a body at a rate. A client that has closed its sending side still gets it slowly. */
export async function writeSlowly(fault: PlannedFault, exchange: Exchange, response: Response, writing: Writing) {
  const { outgoing, stopping, signal } = exchange;
  if (isStream(response.body) && exchange.request.method !== 'HEAD')
    return writing.write(exchange, { ...response, body: slowStream(fault, exchange, response.body, writing) });
  const body = bodyOf(exchange, response);
  if (body.length === 0) return writing.write(exchange, response);
  outgoing.shouldKeepAlive = false;
  outgoing.writeHead(response.status, response.headers);
  let at = 0;
  while (!stopping.aborted && !outgoing.destroyed) {
    const { length, ms } = nextPiece(fault, body.length, writing);
    if (at + length >= body.length) break;
    outgoing.write(body.subarray(at, at + length));
    await pause(ms, signal);
    at += length;
  }
  if (!outgoing.destroyed) outgoing.end(body.subarray(at));
  return undefined;
}

/** The bytes to write together, of a body or an event of `size` bytes, and the milliseconds to wait after them. */
function nextPiece(fault: PlannedFault, size: number, { countWaiting }: Writing) {
  const rate = Math.max(fault.rate ?? 0, (size / LONGEST_SLOW) * 1_000);
  const pieces = Math.min(PIECES_A_SECOND, ALL_PIECES_A_SECOND / countWaiting());
  const length = Math.max(1, Math.floor(rate / pieces));
  return { length, ms: (length / rate) * 1_000 };
}

/** Sends each event, and each heartbeat, at a rate. */
function slowStream(fault: PlannedFault, exchange: Exchange, stream: BodyStream, writing: Writing): BodyStream {
  return async function* (signal) {
    for await (const event of stream(signal)) {
      const bytes = Buffer.from(event);
      for (let at = 0; at < bytes.length; ) {
        const { length, ms } = nextPiece(fault, bytes.length, writing);
        yield bytes.subarray(at, at + length);
        await pauseWithClient(exchange, Math.min(ms, ((bytes.length - at) / length) * ms));
        at += length;
      }
    }
  };
}
