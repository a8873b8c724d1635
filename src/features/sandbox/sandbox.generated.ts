// Generated from contract/sandbox.yaml by npm run generate. Do not edit.
import type { Operations } from '../../contract/operation.ts';
import { array, int64, integer, object, oneOf, optional, text, type TypeOf } from '../../contract/schema.ts';

/** Every scope that an operation needs. */
export const scopes: readonly string[] = ['sandbox'];

/** The header fields of responses that pages of other origins need permission to read. */
export const exposedFields: readonly string[] = [
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

export const FirstPlants = oneOf('none', 'garden');
export type FirstPlants = TypeOf<typeof FirstPlants>;

export const SandboxTerms = object(
  { plants: optional(FirstPlants), ttl: optional(integer(1, 2147483647)) },
  { isClosed: true },
);
export type SandboxTerms = TypeOf<typeof SandboxTerms>;

export const SandboxId = text({ rule: 'a string' });
export type SandboxId = TypeOf<typeof SandboxId>;

export const CreatedSandbox = object({
  id: SandboxId,
  token: text({ rule: 'a string' }),
  expiresAt: text({ rule: 'a string' }),
});
export type CreatedSandbox = TypeOf<typeof CreatedSandbox>;

export const Error = object({ error: integer(-2147483648, 2147483647), message: text({ rule: 'a string' }) });
export type Error = TypeOf<typeof Error>;

export const Timestamp = text({ rule: 'a string' });
export type Timestamp = TypeOf<typeof Timestamp>;

export const Snapshot = object({ number: integer(1, 2147483647), createdAt: Timestamp });
export type Snapshot = TypeOf<typeof Snapshot>;

export const Sandbox = object({
  id: SandboxId,
  plants: FirstPlants,
  createdAt: Timestamp,
  expiresAt: optional(Timestamp),
  snapshots: array(Snapshot),
});
export type Sandbox = TypeOf<typeof Sandbox>;

export const Fault = object(
  {
    kind: oneOf(
      'changedBody',
      'close',
      'delay',
      'duplicate',
      'gap',
      'hugeBody',
      'idle',
      'oldTimestamp',
      'proxy',
      'race',
      'reordered',
      'reset',
      'silent',
      'slow',
      'status',
      'truncate',
      'unknownType',
      'unsigned',
      'wrongSignature',
    ),
    connection: optional(oneOf('any', 'first', 'reused')),
    ms: optional(integer(1, 30000)),
    leave: optional(oneOf('cancel', 'continue')),
    event: optional(integer(1, 1000)),
    status: optional(integer(400, 599)),
    retry: optional(integer(0, 86400)),
    form: optional(oneOf('seconds', 'date')),
    media: optional(oneOf('html', 'text', 'json')),
    body: optional(text({ maxLength: 1024, rule: 'a string of at most 1024 characters' })),
    rate: optional(integer(1, 2147483647)),
    part: optional(oneOf('body', 'head')),
    bytes: optional(integer(0, 2147483647)),
    framing: optional(oneOf('length', 'chunked', 'close')),
    other: optional(oneOf('replace', 'replaceIfMatch', 'delete', 'recreate')),
  },
  { isClosed: true },
);
export type Fault = TypeOf<typeof Fault>;

export const FaultOperation = oneOf(
  'listPlants',
  'createPlant',
  'getPlant',
  'replacePlant',
  'deletePlant',
  'listEvents',
);
export type FaultOperation = TypeOf<typeof FaultOperation>;

export const FaultMatch = object(
  {
    operation: optional(FaultOperation),
    id: optional(int64(-9223372036854775808n, 9223372036854775807n)),
    message: optional(
      oneOf('any', 'plant.created', 'plant.replaced', 'plant.deleted', 'store.reset', 'events.gap', 'webhook.test'),
    ),
  },
  { isClosed: true },
);
export type FaultMatch = TypeOf<typeof FaultMatch>;

export const FaultRule = object(
  {
    fault: Fault,
    match: optional(FaultMatch),
    when: optional(oneOf('before', 'afterCommit')),
    skip: optional(integer(0, 2147483647)),
    times: optional(integer(1, 2147483647)),
    share: optional(integer(1, 100)),
    seed: optional(integer(-2147483648, 2147483647)),
  },
  { isClosed: true },
);
export type FaultRule = TypeOf<typeof FaultRule>;

export const FaultRules = array(FaultRule, 20);
export type FaultRules = TypeOf<typeof FaultRules>;

export const FaultCount = object({ rule: FaultRule, matched: integer(0, 2147483647), applied: integer(0, 2147483647) });
export type FaultCount = TypeOf<typeof FaultCount>;

export const FaultCounts = array(FaultCount, 20);
export type FaultCounts = TypeOf<typeof FaultCounts>;

export const ShownPlant = object({
  id: int64(-9223372036854775808n, 9223372036854775807n),
  name: text({ rule: 'a string' }),
  tag: optional(text({ rule: 'a string' })),
});
export type ShownPlant = TypeOf<typeof ShownPlant>;

export const ShownPlants = array(ShownPlant, 1000);
export type ShownPlants = TypeOf<typeof ShownPlants>;

export const HeaderField = object({ name: text({ rule: 'a string' }), value: text({ rule: 'a string' }) });
export type HeaderField = TypeOf<typeof HeaderField>;

export const ReceivedRequest = object({
  number: integer(1, 2147483647),
  at: text({ rule: 'a string' }),
  connection: integer(1, 2147483647),
  place: integer(1, 2147483647),
  method: text({ rule: 'a string' }),
  target: text({ rule: 'a string' }),
  headers: array(HeaderField),
  body: optional(text({ rule: 'a string' })),
  status: optional(integer(100, 599)),
  error: optional(integer(-2147483648, 2147483647)),
  milliseconds: integer(0, 2147483647),
  fault: optional(text({ rule: 'a string' })),
  response: optional(oneOf('lost', 'pending', 'abandoned')),
});
export type ReceivedRequest = TypeOf<typeof ReceivedRequest>;

export const ReceivedRequests = array(ReceivedRequest, 100);
export type ReceivedRequests = TypeOf<typeof ReceivedRequests>;

export const operations = {
  createSandbox: {
    id: 'createSandbox',
    method: 'POST',
    path: '/sandboxes',
    scopes: undefined,
    parameters: [],
    body: SandboxTerms,
    isBodyOptional: true,
    responses: { 201: CreatedSandbox, 400: Error, 429: Error, 500: Error, 503: Error },
  },
  getSandbox: {
    id: 'getSandbox',
    method: 'GET',
    path: '/sandbox',
    scopes: ['sandbox'],
    parameters: [],
    body: undefined,
    responses: { 200: Sandbox, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  deleteSandbox: {
    id: 'deleteSandbox',
    method: 'DELETE',
    path: '/sandbox',
    scopes: ['sandbox'],
    parameters: [],
    body: undefined,
    responses: { 204: undefined, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  resetSandbox: {
    id: 'resetSandbox',
    method: 'POST',
    path: '/sandbox/reset',
    scopes: ['sandbox'],
    parameters: [{ name: 'snapshot', in: 'query', required: false, schema: integer(1, 2147483647) }],
    body: undefined,
    responses: { 204: undefined, 400: Error, 401: Error, 403: Error, 404: Error, 429: Error, 500: Error, 503: Error },
  },
  createSnapshot: {
    id: 'createSnapshot',
    method: 'POST',
    path: '/sandbox/snapshots',
    scopes: ['sandbox'],
    parameters: [],
    body: undefined,
    responses: { 201: Snapshot, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  getFaults: {
    id: 'getFaults',
    method: 'GET',
    path: '/sandbox/faults',
    scopes: ['sandbox'],
    parameters: [],
    body: undefined,
    responses: { 200: FaultRules, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  putFaults: {
    id: 'putFaults',
    method: 'PUT',
    path: '/sandbox/faults',
    scopes: ['sandbox'],
    parameters: [],
    body: FaultRules,
    responses: { 200: FaultRules, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  deleteFaults: {
    id: 'deleteFaults',
    method: 'DELETE',
    path: '/sandbox/faults',
    scopes: ['sandbox'],
    parameters: [],
    body: undefined,
    responses: { 204: undefined, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  getFaultCounts: {
    id: 'getFaultCounts',
    method: 'GET',
    path: '/sandbox/faults/counts',
    scopes: ['sandbox'],
    parameters: [],
    body: undefined,
    responses: { 200: FaultCounts, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  showPlants: {
    id: 'showPlants',
    method: 'GET',
    path: '/sandbox/plants',
    scopes: ['sandbox'],
    parameters: [],
    body: undefined,
    responses: { 200: ShownPlants, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  listRequests: {
    id: 'listRequests',
    method: 'GET',
    path: '/sandbox/requests',
    scopes: ['sandbox'],
    parameters: [{ name: 'after', in: 'query', required: false, schema: integer(0, 2147483647), fallback: 0 }],
    body: undefined,
    responses: { 200: ReceivedRequests, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
  deleteRequests: {
    id: 'deleteRequests',
    method: 'DELETE',
    path: '/sandbox/requests',
    scopes: ['sandbox'],
    parameters: [],
    body: undefined,
    responses: { 204: undefined, 400: Error, 401: Error, 403: Error, 429: Error, 500: Error, 503: Error },
  },
} as const satisfies Operations;
