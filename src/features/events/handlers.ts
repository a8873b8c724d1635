/** The operation of events.yaml. */
import type { Links } from '../../contract/links.ts';
import type { Handlers } from '../../contract/operation.ts';
import { preferredType } from '../../http/negotiation.ts';
import { OPEN_RESPONSE } from '../../http/reserve.ts';
import { operations } from './events.generated.ts';
import type { Page } from './feed.ts';
import { CHECK_MS, follow, ROOM, type WaitingRequest } from './streams.ts';

export interface Context extends WaitingRequest {
  readonly links: Links<typeof operations>;
}

/** The media types of the events. A client that accepts none of them gets the first. */
const FORMS = ['application/json', ...operations.listEvents.otherTypes[200]] as const;

export const handlers: Handlers<typeof operations, Context> = {
  async listEvents({ parameters }, context) {
    const { exchange, feed, links, authenticate, client } = context;
    const { limit, wait, 'Last-Event-ID': last, after } = parameters;
    const form = preferredType(exchange.request.headers.accept, FORMS);
    const place = await feed.placeOf(exchange.credential.store, parameters);
    const linkTo = (next: Page['next']) => {
      const cursor = feed.cursorOf(next);
      const address = links.to('listEvents', { after: cursor, limit, ...(wait === 0 ? {} : { wait }) });
      return { Link: `<${address}>; rel="next"` };
    };
    let page = await feed.read(place, form === 'application/json' ? limit : 1, client);
    if (form !== 'application/json') {
      // Without a cursor the stream begins with the oldest event that is kept.
      const [oldest] = page.events;
      const begin = oldest === undefined ? page.next : { ...place, after: oldest.sequence - 1n };
      const body = (ended: AbortSignal) => follow(context, place, form, ended);
      return { status: 200, type: form, headers: linkTo(begin), body };
    }
    const until = performance.now() + 1_000 * wait;
    if (page.events.length === 0 && wait > 0 && (last || after) !== 'latest') {
      // Makes room for the request while it waits, and for the events that it gets.
      client.reserve(OPEN_RESPONSE);
      const ended = exchange.signal;
      while (page.events.length === 0 && performance.now() < until && !ended.aborted && !exchange.hasLeft) {
        const began = performance.now();
        const mayHaveMore = await feed.wait(page.next, Math.min(CHECK_MS, Math.max(0, until - began)), ended);
        exchange.excuse(performance.now() - began);
        // Meanwhile the token may have been revoked.
        await authenticate();
        if (mayHaveMore) page = await feed.read(page.next, limit, client, ROOM);
      }
    }
    return { status: 200, headers: linkTo(page.next), body: page.events };
  },
};
