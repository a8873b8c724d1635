/**
 * Streams of events. They end when the client leaves or sends another request on the connection, when its credential is
 * no longer valid, or when the service stops. While another request waits, the service does not read the connection, so
 * it could not notice that the client has left.
 */
import type { Authenticated } from '../../http/exchange.ts';
import { SHORT } from '../../http/reserve.ts';
import { jsonLine } from '../../util/json-line.ts';
import { Event } from './events.generated.ts';
import type { Feed, Place } from './feed.ts';
import type { Client } from './slices.ts';

/** Milliseconds between two heartbeats. Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds between two checks of the credential and of the client. */
export const CHECK_MS = 300;
/** The bytes of events that a stream, or a request that waited, reads at once. It has reserved them. */
export const ROOM = SHORT;
/** The most events of a read. */
const MOST = 200;

interface Writer {
  readonly begin: string;
  readonly heartbeat: string;
  readonly event: (event: Event, json: string) => string;
}

const WRITERS = {
  'text/event-stream': {
    begin: 'retry: 1000\n\n',
    heartbeat: ':\n\n',
    event: ({ id, type }, json) => `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`,
  },
  'application/jsonl': { begin: '', heartbeat: '\n', event: (_event, json) => `${json}\n` },
} satisfies Readonly<Record<string, Writer>>;

export interface WaitingRequest {
  readonly exchange: Authenticated;
  readonly feed: Feed;
  /** Rejects once the credential is no longer valid. */
  readonly authenticate: () => Promise<unknown>;
  readonly client: Client;
}

/** Yields one event or one heartbeat at a time. */
export async function* follow(request: WaitingRequest, first: Place, form: keyof typeof WRITERS, signal: AbortSignal) {
  const { exchange, feed, authenticate, client } = request;
  const { begin, heartbeat, event: write } = WRITERS[form];
  let place = first;
  let limit = 1;
  let mayHaveMore = true;
  let spoke = performance.now();
  if (begin !== '') yield begin;
  while (!signal.aborted) {
    const isValid = await authenticate().then(
      () => true,
      () => false,
    );
    if (!isValid) return;
    if (mayHaveMore) {
      const { events, next } = await feed.read(place, limit, client, ROOM);
      let bytes = 0;
      for (const event of events) {
        const piece = write(event, jsonLine(Event.write(event)));
        bytes += piece.length;
        yield piece;
        spoke = performance.now();
      }
      place = next;
      mayHaveMore = events.length > 0;
      if (mayHaveMore) limit = Math.max(1, Math.min(MOST, Math.floor((ROOM * events.length) / bytes)));
    } else if (exchange.hasLeft || exchange.hasNext) return;
    else if (performance.now() - spoke >= HEARTBEAT_MS) {
      yield heartbeat;
      spoke = performance.now();
    } else mayHaveMore = await feed.wait(place, CHECK_MS, signal);
  }
}
