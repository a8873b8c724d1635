// Generated from contract/openapi.yaml by npm run generate. Do not edit.
import type { Operations } from './operation.ts';
import { array, int64, integer, object, optional, text, type TypeOf } from './schema.ts';

/** Every scope that an operation needs. */
export const scopes: readonly string[] = ['plants:read', 'plants:write'];

/** The header fields of responses that pages of other origins need permission to read. */
export const exposedFields: readonly string[] = [
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

export const PlantTag = text({
  maxLength: 1024,
  pattern: /^[^\x00]*$/u,
  rule: 'a string: Unicode text of up to 1,024 characters (code points), without U+0000 or unpaired surrogates',
});
export type PlantTag = TypeOf<typeof PlantTag>;

export const Cursor = text({ pattern: /^[A-Za-z0-9_-]{32}$/u, rule: 'a string: 32 characters of A-Z a-z 0-9 _ -' });
export type Cursor = TypeOf<typeof Cursor>;

export const PlantId = int64(-9223372036854775808n, 9223372036854775807n);
export type PlantId = TypeOf<typeof PlantId>;

export const PlantName = text({
  maxLength: 1024,
  pattern: /^[^\x00]*$/u,
  rule: 'a string: Unicode text of up to 1,024 characters (code points), without U+0000 or unpaired surrogates',
});
export type PlantName = TypeOf<typeof PlantName>;

export const StoredPlant = object({ id: PlantId, name: PlantName, tag: optional(PlantTag) });
export type StoredPlant = TypeOf<typeof StoredPlant>;

export const Error = object({ error: integer(-2147483648, 2147483647), message: text({ rule: 'a string' }) });
export type Error = TypeOf<typeof Error>;

export const NewPlant = object({ id: PlantId, name: PlantName, tag: optional(PlantTag) });
export type NewPlant = TypeOf<typeof NewPlant>;

export const Plant = object({ name: PlantName, tag: optional(PlantTag) });
export type Plant = TypeOf<typeof Plant>;

export const EntityTags = text({
  pattern: /^(?:[*]|(?:,[ ,]*)?(?:W\/)?["][!#-~]*["](?: *,(?: *(?:W\/)?["][!#-~]*["])?)*)$|^[ ,]*$/u,
  rule: 'a string: entity tags, each in quotation marks, such as "a1", "b2", or only * (RFC 9110, section 13.1). The list may be empty',
});
export type EntityTags = TypeOf<typeof EntityTags>;

export const operations = {
  listPlants: {
    id: 'listPlants',
    method: 'GET',
    path: '/plants',
    scopes: ['plants:read'],
    parameters: [
      { name: 'limit', in: 'query', required: false, schema: integer(1, 1000), fallback: 100 },
      { name: 'tag', in: 'query', required: false, schema: PlantTag },
      { name: 'after', in: 'query', required: false, schema: Cursor },
    ],
    body: undefined,
    responses: {
      200: array(StoredPlant, 1000),
      400: Error,
      401: Error,
      403: Error,
      429: Error,
      500: Error,
      503: Error,
    },
  },
  createPlant: {
    id: 'createPlant',
    method: 'POST',
    path: '/plants',
    scopes: ['plants:write'],
    parameters: [],
    body: NewPlant,
    responses: { 200: Plant, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  getPlant: {
    id: 'getPlant',
    method: 'GET',
    path: '/plants/{id}',
    scopes: ['plants:read'],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: PlantId },
      { name: 'If-None-Match', in: 'header', required: false, schema: EntityTags },
    ],
    body: undefined,
    responses: {
      200: StoredPlant,
      304: undefined,
      400: Error,
      401: Error,
      403: Error,
      404: Error,
      429: Error,
      500: Error,
      503: Error,
    },
  },
  replacePlant: {
    id: 'replacePlant',
    method: 'PUT',
    path: '/plants/{id}',
    scopes: ['plants:write'],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: PlantId },
      { name: 'If-Match', in: 'header', required: false, schema: EntityTags },
      { name: 'If-None-Match', in: 'header', required: false, schema: EntityTags },
    ],
    body: Plant,
    responses: {
      200: StoredPlant,
      400: Error,
      401: Error,
      403: Error,
      404: Error,
      412: Error,
      429: Error,
      500: Error,
      503: Error,
    },
  },
  deletePlant: {
    id: 'deletePlant',
    method: 'DELETE',
    path: '/plants/{id}',
    scopes: ['plants:write'],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: PlantId },
      { name: 'If-Match', in: 'header', required: false, schema: EntityTags },
      { name: 'If-None-Match', in: 'header', required: false, schema: EntityTags },
    ],
    body: undefined,
    responses: {
      204: undefined,
      400: Error,
      401: Error,
      403: Error,
      404: Error,
      412: Error,
      429: Error,
      500: Error,
      503: Error,
    },
  },
} as const satisfies Operations;
