/** The messages of webhooks. A message is an event of the feed, a gap in the feed, or a test. */
import { Problem } from '../../../errors.ts';
import type { Message } from '../../../feature.ts';
import type { StoreName } from '../../../plants/plant.ts';
import { randomName } from '../../../util/random-name.ts';
import { Event } from '../events.generated.ts';
import type { Feed, Place } from '../feed.ts';
import type { Client } from '../slices.ts';
import type { Position } from './records.ts';
import { messages } from './webhooks.generated.ts';

/** A message of the feed. */
export interface PlacedMessage extends Message {
  /** Where the webhook is once the message was delivered. */
  readonly after: Position;
}

/** The most events, and the most bytes of them, that a webhook reads at once. They are signed in a few milliseconds. */
const LIMIT = 25;
const ROOM = 16_384;

/**
 * The next messages after a place. If retention has overtaken it, there is only one message, `events.gap`. `end`: the
 * place after them, if there was no later message.
 */
export async function readMessages(
  feed: Feed,
  place: Place,
  client: Client,
): Promise<{ readonly messages: readonly PlacedMessage[]; readonly end?: Place }> {
  try {
    const { events, next, isEnd } = await feed.read(place, LIMIT, client, ROOM);
    const placed = events.map((event) => ({
      id: event.id,
      type: event.type,
      body: Event.write(event),
      after: { period: place.period, place: event.sequence },
    }));
    return { messages: placed, ...(isEnd && { end: next }) };
  } catch (error) {
    // 41000: it is no longer kept. 40006: it is newer than every event, for example in a restored backup.
    if (!(error instanceof Problem) || (error.code !== 41000 && error.code !== 40006)) throw error;
    // All of it follows from where the webhook continues, so each attempt has the same id and the same body. Once more
    // events were removed, it is another message: the receiver may have listed the plants before their changes.
    const oldest = await feed.placeOf(place.store, { after: 'oldest' });
    const [id, type, after] = [`gap_${feed.cursorOf(oldest)}`, 'events.gap', positionOf(oldest)] as const;
    return { messages: [{ id, type, body: messages[type].write({ id, type, data: { reason: 'gap' } }), after }] };
  }
}

export function positionOf({ period, after: place = 0n }: Place): Position {
  return { period, place };
}

export function placeOf(store: StoreName, { period, place }: Position): Place {
  return { store, period, after: place, parameter: 'after' };
}

/** A message that only shows whether a receiver works. It has an id of its own, and no place in the feed. */
export function testMessage(webhook: string, now: number): Message {
  const [id, type, timestamp] = [`test_${newId()}`, 'webhook.test', new Date(now).toISOString()] as const;
  return { id, type, body: messages[type].write({ id, type, timestamp, data: { webhook } }) };
}

/** The id of a webhook, of a test message or of a process that delivers. */
export const newId = (): string => randomName(12);
