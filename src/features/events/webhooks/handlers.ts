/** The handlers of the operations in webhooks.yaml. */
import type { Credential } from '../../../auth/credential.ts';
import type { Links } from '../../../contract/links.ts';
import type { Handlers } from '../../../contract/operation.ts';
import { Problem } from '../../../errors.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { hasQuota, type StoreName } from '../../../plants/plant.ts';
import type { PlantStore } from '../../../plants/plant-store.ts';
import type { Feed } from '../feed.ts';
import type { SecretsOf } from './attempts.ts';
import type { Deliverer } from './deliverer.ts';
import type { Destinations } from './destination.ts';
import { newId, placeOf, positionOf, testMessage } from './messages.ts';
import type { NumberedAttempt, Owner, Terms, WebhookRecord, WebhookRecords } from './records.ts';
import type { operations, Webhook, WebhookTerms } from './webhooks.generated.ts';

export interface Context {
  readonly credential: Credential;
  readonly records: WebhookRecords;
  readonly deliverer: Deliverer;
  readonly feed: Feed;
  readonly plants: Pick<PlantStore, 'newestEvents'>;
  readonly links: Links<typeof operations>;
  /** Where the webhooks of the credential's store may send to. */
  readonly destinations: Destinations;
  readonly secretsOf: SecretsOf;
  /** How many webhooks a store may have. */
  readonly most: number;
  /** How long both secrets sign after a rotation, in milliseconds. */
  readonly rotation: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly withClient: Exchange['withClient'];
  /** Reads attempts, which may be long. Visitors take turns. Rejects with ClientGone once the client has left. */
  inTurn<Result>(read: () => Promise<Result>): Promise<Result>;
  /** Excludes a wait, in milliseconds, from the measured duration of the request. */
  excuse(milliseconds: number): void;
}

const textOf = (time: number) => new Date(time).toISOString();
const noSuch = (id: string) =>
  new Problem(40403, `There is no webhook ${/^[A-Za-z0-9]+$/.test(id) ? id : 'with this id'}.`);

export const handlers: Handlers<typeof operations, Context> = {
  async listWebhooks(_, context) {
    const { store } = context.credential;
    const webhooks = await context.records.list(store);
    const newest = await newestOf(store, context);
    return { status: 200, body: webhooks.map((webhook) => showAt(newest, webhook, context)) };
  },
  async createWebhook({ body }, context) {
    const { credential, records, feed, deliverer, links, secretsOf, most, now } = context;
    const { store } = credential;
    const terms = termsOf(body, context);
    if (terms instanceof Problem) return terms;
    const position = positionOf(await feed.placeOf(store, { after: 'latest' }));
    const [id, createdAt] = [newId(), now()];
    const beginning = { generation: 1, previousUntil: 0, failures: 0, revision: 0 };
    const webhook: WebhookRecord = { ...NOT_FAILING, ...beginning, ...terms, ...position, id, store, createdAt };
    await records.add(webhook);
    // Counted afterwards, since another replica may add one at the same time.
    if ((await records.list(store)).length > most) {
      await records.remove(store, id);
      return new Problem(40031, `The store already has ${most} webhooks, the maximum. Delete one of them first.`);
    }
    await deliverer.changed();
    const headers = { Location: links.to('getWebhook', { id }) };
    return { status: 201, headers, body: { ...(await show(webhook, context)), secret: secretsOf(webhook)[0] } };
  },
  async getWebhook({ parameters: { id } }, context) {
    const webhook = await context.records.find(context.credential.store, id);
    if (webhook === undefined) return noSuch(id);
    const attempts = await context.inTurn(() => context.records.attempts(webhook));
    return { status: 200, body: { ...(await show(webhook, context)), attempts: attempts.map(showAttempt).reverse() } };
  },
  async replaceWebhook({ parameters: { id }, body }, context) {
    const { credential, records, deliverer } = context;
    const terms = termsOf(body, context);
    if (terms instanceof Problem) return terms;
    const webhook = await records.replace(credential.store, id, terms);
    if (webhook === undefined) return noSuch(id);
    await deliverer.changed();
    return { status: 200, body: await show(webhook, context) };
  },
  async deleteWebhook({ parameters: { id } }, { credential, records, deliverer }) {
    if ((await records.remove(credential.store, id)) === undefined) return noSuch(id);
    await deliverer.changed();
    return { status: 204 };
  },
  async rotateSecret({ parameters: { id } }, { credential, records, deliverer, secretsOf, rotation, now }) {
    const previousUntil = now() + rotation;
    const webhook = await records.rotate(credential.store, id, previousUntil);
    if (webhook === undefined) return noSuch(id);
    await deliverer.changed();
    return { status: 200, body: { secret: secretsOf(webhook)[0], previousUntil: textOf(previousUntil) } };
  },
  async testWebhook({ parameters: { id } }, { credential, records, deliverer, now, withClient, excuse }) {
    const webhook = await records.find(credential.store, id);
    if (webhook === undefined) return noSuch(id);
    const began = performance.now();
    const attempt = await withClient((signal) => deliverer.test(webhook, testMessage(id, now()), signal));
    excuse(performance.now() - began);
    return attempt === undefined ? noSuch(id) : { status: 200, body: showAttempt(attempt) };
  },
  async moveCursor({ parameters: { id }, body: { after } }, { credential, records, feed, deliverer }) {
    const { store } = credential;
    const place = await feed.placeOf(store, { after });
    if ((await records.move(store, id, positionOf(place))) === undefined) return noSuch(id);
    await deliverer.changed();
    return { status: 204 };
  },
  async listDeliveries({ parameters: { id, after, limit } }, { credential, records, inTurn }) {
    const webhook = await records.find(credential.store, id);
    if (webhook === undefined) return noSuch(id);
    const attempts = await inTurn(() => records.attempts(webhook, after));
    return { status: 200, body: attempts.flatMap(showDelivery).slice(0, limit) };
  },
};

/** What a client can do if its URL is refused. A visitor cannot change the options of the service. */
const INSTEAD = 'Leave url out to deliver to an inbox.';
const VISITORS_INSTEAD =
  `${INSTEAD} To send to your own receiver, ` + 'start a service of your own with --webhooks and --webhook-allow.';

const NOT_FAILING = { disabled: undefined, failingSince: undefined, nextAt: undefined };

/** Returns a Problem (40030) if the service does not send to the URL. */
function termsOf(
  { url, types = [], description }: WebhookTerms,
  { credential, destinations }: Context,
): (Terms & Owner) | Problem<40030> {
  const refused = url === undefined ? undefined : destinations.check(url);
  if (typeof refused === 'string') {
    const instead = hasQuota(credential.store) ? VISITORS_INSTEAD : INSTEAD;
    return new Problem(40030, `url is refused: ${refused}. ${instead}`);
  }
  return { url, types: [...new Set(types)], description, credential: credential.id, endsAt: credential.endsAt };
}

/** The number of the newest event of a store. */
async function newestOf(store: StoreName, { plants }: Context): Promise<bigint> {
  return (await plants.newestEvents([store])).get(store) ?? 0n;
}

async function show(webhook: WebhookRecord, context: Context): Promise<Webhook> {
  return showAt(await newestOf(webhook.store, context), webhook, context);
}

function showAt(newest: bigint, webhook: WebhookRecord, { feed, now }: Context): Webhook {
  const { id, store, url, types, description, disabled, nextAt, createdAt, place } = webhook;
  const isWaiting = disabled === undefined && nextAt !== undefined && nextAt > now();
  return {
    id,
    ...(url !== undefined && { url }),
    types,
    ...(description !== undefined && { description }),
    state: disabled === undefined ? (isWaiting ? 'waiting' : 'active') : 'disabled',
    ...(disabled !== undefined && { reason: disabled }),
    ...(isWaiting && { nextAttemptAt: textOf(nextAt) }),
    createdAt: textOf(createdAt),
    cursor: feed.cursorOf(placeOf(store, webhook)),
    behind: newest > place ? newest - place : 0n,
  };
}

function showAttempt({ arrived: _, at, ...attempt }: NumberedAttempt) {
  return { ...attempt, at: textOf(at) };
}

function showDelivery({ number, at, message, type, arrived }: NumberedAttempt) {
  if (arrived === undefined) return [];
  const { body, headers, reason } = arrived;
  const fields = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const verdict = reason === undefined ? ('right' as const) : ('wrong' as const);
  return [
    { number, at: textOf(at), message, type, headers: fields, body, verdict, ...(reason !== undefined && { reason }) },
  ];
}
