// Generated from contract/webhooks.yaml by npm run generate. Do not edit.
import type { Operations } from '../../../contract/operation.ts';
import {
  array,
  int64,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type TypeOf,
} from '../../../contract/schema.ts';

/** Every scope that an operation needs. */
export const scopes: readonly string[] = ['plants:read', 'webhooks'];

/** The header fields of responses that pages of other origins need permission to read. */
export const exposedFields: readonly string[] = [
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

export const Id = text({ rule: 'a string' });
export type Id = TypeOf<typeof Id>;

export const ReceiverUrl = text({
  minLength: 1,
  maxLength: 2048,
  pattern: /^[^\x00]*$/u,
  rule: 'a string: a URL of up to 2,048 characters, with https and a public host, or in a network of --webhook-allow. Absent for a webhook to an inbox inside the service',
});
export type ReceiverUrl = TypeOf<typeof ReceiverUrl>;

export const EventType = oneOf('plant.created', 'plant.replaced', 'plant.deleted', 'store.reset');
export type EventType = TypeOf<typeof EventType>;

export const Note = text({
  maxLength: 256,
  pattern: /^[^\x00]*$/u,
  rule: 'a string: up to 256 characters, without U+0000',
});
export type Note = TypeOf<typeof Note>;

export const Timestamp = text({ rule: 'a string' });
export type Timestamp = TypeOf<typeof Timestamp>;

export const Cursor = text({ pattern: /^[A-Za-z0-9_-]{40}$/u, rule: 'a string: 40 characters of A-Z a-z 0-9 _ -' });
export type Cursor = TypeOf<typeof Cursor>;

export const Webhook = object({
  id: Id,
  url: optional(ReceiverUrl),
  types: array(EventType),
  description: optional(Note),
  state: oneOf('active', 'waiting', 'disabled'),
  reason: optional(text({ rule: 'a string' })),
  nextAttemptAt: optional(Timestamp),
  createdAt: Timestamp,
  cursor: Cursor,
  behind: int64(0n, 9223372036854775807n),
});
export type Webhook = TypeOf<typeof Webhook>;

export const Error = object({ error: integer(-2147483648, 2147483647), message: text({ rule: 'a string' }) });
export type Error = TypeOf<typeof Error>;

export const WebhookTerms = object(
  { url: optional(ReceiverUrl), types: optional(array(EventType, 4)), description: optional(Note) },
  { isClosed: true },
);
export type WebhookTerms = TypeOf<typeof WebhookTerms>;

export const SecretText = text({ rule: 'a string' });
export type SecretText = TypeOf<typeof SecretText>;

export const CreatedWebhook = object({
  id: Id,
  url: optional(ReceiverUrl),
  types: array(EventType),
  description: optional(Note),
  state: oneOf('active', 'waiting', 'disabled'),
  reason: optional(text({ rule: 'a string' })),
  nextAttemptAt: optional(Timestamp),
  createdAt: Timestamp,
  cursor: Cursor,
  behind: int64(0n, 9223372036854775807n),
  secret: SecretText,
});
export type CreatedWebhook = TypeOf<typeof CreatedWebhook>;

export const Attempt = object({
  number: integer(1, 2147483647),
  at: Timestamp,
  message: text({ rule: 'a string' }),
  type: text({ rule: 'a string' }),
  status: optional(integer(0, 999)),
  failure: optional(text({ rule: 'a string' })),
  milliseconds: integer(0, 2147483647),
  response: optional(text({ rule: 'a string' })),
});
export type Attempt = TypeOf<typeof Attempt>;

export const WebhookWithAttempts = object({
  id: Id,
  url: optional(ReceiverUrl),
  types: array(EventType),
  description: optional(Note),
  state: oneOf('active', 'waiting', 'disabled'),
  reason: optional(text({ rule: 'a string' })),
  nextAttemptAt: optional(Timestamp),
  createdAt: Timestamp,
  cursor: Cursor,
  behind: int64(0n, 9223372036854775807n),
  attempts: array(Attempt, 100),
});
export type WebhookWithAttempts = TypeOf<typeof WebhookWithAttempts>;

export const Secret = object({ secret: SecretText, previousUntil: text({ rule: 'a string' }) });
export type Secret = TypeOf<typeof Secret>;

export const NewPlace = object(
  {
    after: text({
      pattern: /^(?:latest|oldest|[A-Za-z0-9_-]{40})$/u,
      rule: 'a string: latest, oldest, or the id of an event, of 40 characters of A-Z a-z 0-9 _ -',
    }),
  },
  { isClosed: true },
);
export type NewPlace = TypeOf<typeof NewPlace>;

export const HeaderField = object({ name: text({ rule: 'a string' }), value: text({ rule: 'a string' }) });
export type HeaderField = TypeOf<typeof HeaderField>;

export const Delivery = object({
  number: integer(1, 2147483647),
  at: Timestamp,
  message: text({ rule: 'a string' }),
  type: text({ rule: 'a string' }),
  headers: array(HeaderField),
  body: text({ rule: 'a string' }),
  verdict: oneOf('right', 'wrong'),
  reason: optional(text({ rule: 'a string' })),
});
export type Delivery = TypeOf<typeof Delivery>;

export const Sequence = int64(1n, 9223372036854775807n);
export type Sequence = TypeOf<typeof Sequence>;

export const PlantId = int64(-9223372036854775808n, 9223372036854775807n);
export type PlantId = TypeOf<typeof PlantId>;

export const PlantName = text({
  maxLength: 1024,
  pattern: /^[^\x00]*$/u,
  rule: 'a string: Unicode text of up to 1,024 characters (code points), without U+0000 or unpaired surrogates',
});
export type PlantName = TypeOf<typeof PlantName>;

export const PlantTag = text({
  maxLength: 1024,
  pattern: /^[^\x00]*$/u,
  rule: 'a string: Unicode text of up to 1,024 characters (code points), without U+0000 or unpaired surrogates',
});
export type PlantTag = TypeOf<typeof PlantTag>;

export const EventPlant = object({ id: PlantId, name: PlantName, tag: optional(PlantTag) });
export type EventPlant = TypeOf<typeof EventPlant>;

export const PlantCreated = object({
  id: Cursor,
  sequence: Sequence,
  type: oneOf('plant.created'),
  timestamp: Timestamp,
  data: EventPlant,
});
export type PlantCreated = TypeOf<typeof PlantCreated>;

export const ReplacedPlant = object({
  id: PlantId,
  name: PlantName,
  tag: optional(PlantTag),
  previousName: PlantName,
  previousTag: nullable(text({ rule: 'a string' })),
});
export type ReplacedPlant = TypeOf<typeof ReplacedPlant>;

export const PlantReplaced = object({
  id: Cursor,
  sequence: Sequence,
  type: oneOf('plant.replaced'),
  timestamp: Timestamp,
  data: ReplacedPlant,
});
export type PlantReplaced = TypeOf<typeof PlantReplaced>;

export const PlantDeleted = object({
  id: Cursor,
  sequence: Sequence,
  type: oneOf('plant.deleted'),
  timestamp: Timestamp,
  data: EventPlant,
});
export type PlantDeleted = TypeOf<typeof PlantDeleted>;

export const Reset = object({ reason: oneOf('reset') });
export type Reset = TypeOf<typeof Reset>;

export const StoreReset = object({
  id: Cursor,
  sequence: Sequence,
  type: oneOf('store.reset'),
  timestamp: Timestamp,
  data: Reset,
});
export type StoreReset = TypeOf<typeof StoreReset>;

export const Gap = object({ reason: oneOf('gap') });
export type Gap = TypeOf<typeof Gap>;

export const EventsGap = object({ id: text({ rule: 'a string' }), type: oneOf('events.gap'), data: Gap });
export type EventsGap = TypeOf<typeof EventsGap>;

export const Tested = object({ webhook: Id });
export type Tested = TypeOf<typeof Tested>;

export const WebhookTest = object({
  id: text({ rule: 'a string' }),
  type: oneOf('webhook.test'),
  timestamp: Timestamp,
  data: Tested,
});
export type WebhookTest = TypeOf<typeof WebhookTest>;

export const operations = {
  listWebhooks: {
    id: 'listWebhooks',
    method: 'GET',
    path: '/webhooks',
    scopes: ['plants:read', 'webhooks'],
    parameters: [],
    body: undefined,
    responses: { 200: array(Webhook), 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  createWebhook: {
    id: 'createWebhook',
    method: 'POST',
    path: '/webhooks',
    scopes: ['plants:read', 'webhooks'],
    parameters: [],
    body: WebhookTerms,
    responses: { 201: CreatedWebhook, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  getWebhook: {
    id: 'getWebhook',
    method: 'GET',
    path: '/webhooks/{id}',
    scopes: ['plants:read', 'webhooks'],
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        schema: text({
          maxLength: 64,
          pattern: /^[^\x00]*$/u,
          rule: 'a string of at most 64 characters that matches ^[^\\x00]*$',
        }),
      },
    ],
    body: undefined,
    responses: {
      200: WebhookWithAttempts,
      400: Error,
      401: Error,
      403: Error,
      404: Error,
      429: Error,
      500: Error,
      503: Error,
    },
  },
  replaceWebhook: {
    id: 'replaceWebhook',
    method: 'PUT',
    path: '/webhooks/{id}',
    scopes: ['plants:read', 'webhooks'],
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        schema: text({
          maxLength: 64,
          pattern: /^[^\x00]*$/u,
          rule: 'a string of at most 64 characters that matches ^[^\\x00]*$',
        }),
      },
    ],
    body: WebhookTerms,
    responses: { 200: Webhook, 400: Error, 401: Error, 403: Error, 404: Error, 429: Error, 500: Error, 503: Error },
  },
  deleteWebhook: {
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/webhooks/{id}',
    scopes: ['plants:read', 'webhooks'],
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        schema: text({
          maxLength: 64,
          pattern: /^[^\x00]*$/u,
          rule: 'a string of at most 64 characters that matches ^[^\\x00]*$',
        }),
      },
    ],
    body: undefined,
    responses: { 204: undefined, 400: Error, 401: Error, 403: Error, 404: Error, 429: Error, 500: Error, 503: Error },
  },
  rotateSecret: {
    id: 'rotateSecret',
    method: 'POST',
    path: '/webhooks/{id}/secret',
    scopes: ['plants:read', 'webhooks'],
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        schema: text({
          maxLength: 64,
          pattern: /^[^\x00]*$/u,
          rule: 'a string of at most 64 characters that matches ^[^\\x00]*$',
        }),
      },
    ],
    body: undefined,
    responses: { 200: Secret, 400: Error, 401: Error, 403: Error, 404: Error, 429: Error, 500: Error, 503: Error },
  },
  testWebhook: {
    id: 'testWebhook',
    method: 'POST',
    path: '/webhooks/{id}/test',
    scopes: ['plants:read', 'webhooks'],
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        schema: text({
          maxLength: 64,
          pattern: /^[^\x00]*$/u,
          rule: 'a string of at most 64 characters that matches ^[^\\x00]*$',
        }),
      },
    ],
    body: undefined,
    responses: { 200: Attempt, 400: Error, 401: Error, 403: Error, 404: Error, 429: Error, 500: Error, 503: Error },
  },
  moveCursor: {
    id: 'moveCursor',
    method: 'PUT',
    path: '/webhooks/{id}/cursor',
    scopes: ['plants:read', 'webhooks'],
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        schema: text({
          maxLength: 64,
          pattern: /^[^\x00]*$/u,
          rule: 'a string of at most 64 characters that matches ^[^\\x00]*$',
        }),
      },
    ],
    body: NewPlace,
    responses: {
      204: undefined,
      400: Error,
      401: Error,
      403: Error,
      404: Error,
      410: Error,
      429: Error,
      500: Error,
      503: Error,
    },
  },
  listDeliveries: {
    id: 'listDeliveries',
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    scopes: ['plants:read', 'webhooks'],
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        schema: text({
          maxLength: 64,
          pattern: /^[^\x00]*$/u,
          rule: 'a string of at most 64 characters that matches ^[^\\x00]*$',
        }),
      },
      { name: 'after', in: 'query', required: false, schema: integer(0, 2147483647), fallback: 0 },
      { name: 'limit', in: 'query', required: false, schema: integer(1, 100), fallback: 20 },
    ],
    body: undefined,
    responses: {
      200: array(Delivery),
      400: Error,
      401: Error,
      403: Error,
      404: Error,
      429: Error,
      500: Error,
      503: Error,
    },
  },
} as const satisfies Operations;

export const messages = {
  'plant.created': PlantCreated,
  'plant.replaced': PlantReplaced,
  'plant.deleted': PlantDeleted,
  'store.reset': StoreReset,
  'events.gap': EventsGap,
  'webhook.test': WebhookTest,
} as const;
