// Generated from contract/events.yaml by npm run generate. Do not edit.
import type { Operations } from '../../contract/operation.ts';
import {
  array,
  int64,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  text,
  variants,
  type TypeOf,
} from '../../contract/schema.ts';

/** Every scope that an operation needs. */
export const scopes: readonly string[] = ['plants:read'];

/** The header fields of responses that pages of other origins need permission to read. */
export const exposedFields: readonly string[] = [
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Accel-Buffering',
  'X-Request-Id',
];

export const After = text({
  pattern: /^(?:latest|[A-Za-z0-9_-]{40})$/u,
  rule: 'a string: latest, or a cursor of 40 characters of A-Z a-z 0-9 _ -',
});
export type After = TypeOf<typeof After>;

export const LastCursor = text({
  pattern: /^[A-Za-z0-9_-]{40}$|^$/u,
  rule: 'a string: 40 characters of A-Z a-z 0-9 _ -',
});
export type LastCursor = TypeOf<typeof LastCursor>;

export const Cursor = text({ pattern: /^[A-Za-z0-9_-]{40}$/u, rule: 'a string: 40 characters of A-Z a-z 0-9 _ -' });
export type Cursor = TypeOf<typeof Cursor>;

export const Sequence = int64(1n, 9223372036854775807n);
export type Sequence = TypeOf<typeof Sequence>;

export const Timestamp = text({ rule: 'a string' });
export type Timestamp = TypeOf<typeof Timestamp>;

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

export const Event = variants('type', {
  'plant.created': PlantCreated,
  'plant.replaced': PlantReplaced,
  'plant.deleted': PlantDeleted,
  'store.reset': StoreReset,
});
export type Event = TypeOf<typeof Event>;

export const Error = object({ error: integer(-2147483648, 2147483647), message: text({ rule: 'a string' }) });
export type Error = TypeOf<typeof Error>;

export const operations = {
  listEvents: {
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    scopes: ['plants:read'],
    parameters: [
      { name: 'after', in: 'query', required: false, schema: After },
      { name: 'limit', in: 'query', required: false, schema: integer(1, 250), fallback: 100 },
      { name: 'wait', in: 'query', required: false, schema: integer(0, 30), fallback: 0 },
      { name: 'Last-Event-ID', in: 'header', required: false, schema: LastCursor },
    ],
    body: undefined,
    responses: {
      200: array(Event),
      400: Error,
      401: Error,
      403: Error,
      410: Error,
      429: Error,
      500: Error,
      503: Error,
    },
    otherTypes: { 200: ['text/event-stream', 'application/jsonl'] },
  },
} as const satisfies Operations;
