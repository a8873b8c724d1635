/** The handlers of the operations in webhooks.yaml. */
import type { Links } from '../../../contract/links.ts';
import type { Handlers } from '../../../contract/operation.ts';
import { Problem } from '../../../errors.ts';
import type { Authenticated } from '../../../http/exchange.ts';
import { hasQuota } from '../../../plants/plant.ts';
import type { Rest } from '../../../util/fair-slots.ts';
import type { Attempts } from './attempts.ts';
import type { WebhookContext } from './context.ts';
import type { Deliverer } from './deliverer.ts';
import { newId, placeOf, positionOf, testMessage } from './messages.ts';
import type { NumberedAttempt, WebhookRecord } from './records.ts';
import { secretOf } from './signature.ts';
import type { operations, Webhook, WebhookTerms } from './webhooks.generated.ts';

export interface Context extends WebhookContext {
  readonly exchange: Authenticated;
  readonly deliverer: Deliverer;
  readonly attempts: Attempts;
  readonly links: Links<typeof operations>;
  /**
   * Adds a webhook, one at a time. The stores take turns. Rejects with ClientGone once the client has left, and with a
   * Problem (40101, 40102) if the credential is no longer valid.
   */
  addInTurn<Result>(add: () => Promise<Result>): Promise<Result>;
  /** Reads attempts, which may be long. Visitors take turns. Rejects with ClientGone once the client has left. */
  inTurn<Result>(read: () => Promise<Result>): Promise<Result>;
}

const NOT_FAILING = { failures: 0, failingSince: undefined, nextAt: undefined };

export const handlers: Handlers<typeof operations, Context> = {
  async listWebhooks(_, context) {
    const { store } = context.exchange.credential;
    const webhooks = await context.records.list(store);
    const newest = await context.feed.newestOf(store);
    return { status: 200, body: webhooks.map((webhook) => showAt(newest, webhook, context)) };
  },
  async createWebhook({ body }, context) {
    const { exchange, options, records, feed, deliverer, links, now } = context;
    const { store } = exchange.credential;
    const most = options.webhooksPerStore;
    const terms = termsOf(body, context);
    const position = positionOf(await feed.placeOf(store, { after: 'latest' }));
    const [id, createdAt] = [newId(), now()];
    const beginning = { generation: 1, previousUntil: 0, failures: 0, revision: 0 };
    const webhook: WebhookRecord = { ...beginning, ...terms, ...position, store, id, createdAt };
    // One at a time, so that two requests do not refuse each other.
    const isFull = await context.addInTurn(async () => {
      // Read first, so that a store without room causes no commit.
      if ((await records.count(store)) >= most) return true;
      await records.add(webhook);
      // Counted afterwards, since another replica may add one at the same time.
      if ((await records.count(store)) <= most) return false;
      await records.remove(store, id);
      return true;
    });
    if (isFull)
      return new Problem(40031, `The store already has ${most} webhooks, the maximum. Delete one of them first.`);
    await deliverer.changed(webhook);
    const headers = { Location: links.to('getWebhook', { id }) };
    return { status: 201, headers, body: { ...(await show(webhook, context)), secret: secret(webhook, context) } };
  },
  async getWebhook({ parameters: { id } }, context) {
    const webhook = await find(id, context);
    const attempts = await context.inTurn(() => context.records.attempts(webhook));
    return { status: 200, body: { ...(await show(webhook, context)), attempts: attempts.map(showAttempt).reverse() } };
  },
  async replaceWebhook({ parameters: { id }, body }, context) {
    const noNote = { url: undefined, description: undefined };
    const changes = { ...noNote, ...termsOf(body, context), ...NOT_FAILING, reason: undefined };
    const webhook = await apply(id, context.records.change(context.exchange.credential.store, id, changes), context);
    return { status: 200, body: await show(webhook, context) };
  },
  async deleteWebhook({ parameters: { id } }, context) {
    await apply(id, context.records.remove(context.exchange.credential.store, id), context);
    return { status: 204 };
  },
  async rotateSecret({ parameters: { id } }, context) {
    const { exchange, times, records, now } = context;
    const previousUntil = now() + times.rotation;
    const webhook = await apply(id, records.rotate(exchange.credential.store, id, previousUntil), context);
    return { status: 200, body: { secret: secret(webhook, context), previousUntil: textOf(webhook.previousUntil) } };
  },
  async testWebhook({ parameters: { id } }, context) {
    const { exchange, records, attempts, now } = context;
    const webhook = await find(id, context);
    const began = performance.now();
    const { last, all } = await exchange.withClient((signal) => {
      const attempt = async (rest: Rest) => {
        // It may have been changed or deleted while the test waited for its turn.
        const present = await find(id, context);
        return attempts.of(present)(testMessage(id, now()), undefined, rest, signal);
      };
      return attempts.inTurn(webhook, attempt, signal);
    });
    exchange.excuse(performance.now() - began);
    const number = existing(id, await records.addAttempts(webhook, all));
    return { status: 200, body: showAttempt({ ...last, number }) };
  },
  async moveCursor({ parameters: { id }, body: { after } }, context) {
    const { exchange, records, feed, clientOf } = context;
    const { store } = exchange.credential;
    const place = await feed.placeOf(store, { after });
    // Rejects if the events after it are no longer kept, or if it is newer than every event.
    await feed.read(place, 1, clientOf(store), 0);
    await apply(id, records.change(store, id, { ...positionOf(place), ...NOT_FAILING }), context);
    return { status: 204 };
  },
  async listDeliveries({ parameters: { id, after, limit } }, context) {
    const webhook = await find(id, context);
    // It may have had an inbox before.
    if (webhook.url !== undefined) return { status: 200, body: [] };
    const attempts = await context.inTurn(() => context.records.attempts(webhook, after));
    const body = attempts.flatMap(({ arrived, ...attempt }) =>
      arrived === undefined ? [] : [{ ...showAttempt(attempt), ...arrived }],
    );
    return { status: 200, body: body.slice(0, limit) };
  },
};

/** Throws a Problem (40403) if the store has no webhook with this id. */
function existing<Found>(id: string, found: Found | undefined): Found {
  if (found !== undefined) return found;
  throw new Problem(40403, `There is no webhook ${/^[A-Za-z0-9]+$/.test(id) ? id : 'with this id'}.`);
}

async function find(id: string, { records, exchange }: Context): Promise<WebhookRecord> {
  return existing(id, await records.find(exchange.credential.store, id));
}

/** Waits for a change of a webhook, and applies it. */
async function apply(id: string, change: Promise<WebhookRecord | undefined>, { deliverer }: Context) {
  const webhook = existing(id, await change);
  await deliverer.changed(webhook);
  return webhook;
}

const INSTEAD = 'Leave url out to deliver to an inbox.';
/** A visitor cannot change the options of the service. */
const FOR_VISITORS = 'To send to your own receiver, start a service of your own with --webhooks and --webhook-allow.';

/** Throws a Problem (40030) if the service does not send to the URL. */
function termsOf({ types = [], ...terms }: WebhookTerms, { exchange: { credential }, check }: Context) {
  const isVisitor = hasQuota(credential.store);
  const checked = terms.url === undefined ? undefined : check(terms.url, !isVisitor);
  if (typeof checked === 'string') {
    throw new Problem(40030, `url is refused: ${checked}. ${INSTEAD}${isVisitor ? ` ${FOR_VISITORS}` : ''}`);
  }
  return { ...terms, types: [...new Set(types)], credential: credential.id, endsAt: credential.endsAt };
}

async function show(webhook: WebhookRecord, context: Context): Promise<Webhook> {
  return showAt(await context.feed.newestOf(webhook.store), webhook, context);
}

const secret = ({ id, generation }: WebhookRecord, { key }: Context) => secretOf(key, id, generation);

/** The schema chooses the members that are shown. */
function showAt(newest: bigint, webhook: WebhookRecord, { feed, now }: Context): Webhook {
  const { store, reason, nextAt = 0, createdAt, place } = webhook;
  const isWaiting = reason === undefined && nextAt > now();
  return {
    ...webhook,
    state: reason === undefined ? (isWaiting ? 'waiting' : 'active') : 'disabled',
    ...(isWaiting && { nextAttemptAt: textOf(nextAt) }),
    createdAt: textOf(createdAt),
    cursor: feed.cursorOf(placeOf(store, webhook)),
    behind: newest > place ? newest - place : 0n,
  };
}

const showAttempt = (attempt: NumberedAttempt) => ({ ...attempt, at: textOf(attempt.at) });

const textOf = (time: number) => new Date(time).toISOString();
