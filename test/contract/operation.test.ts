/** Owns the promise that a description is served as it is written or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Description, parseDescription, readDescription } from '../../src/contract/document.ts';
import { parseJson } from '../../src/contract/json.ts';
import { compileOperations, type Operation } from '../../src/contract/operation.ts';

/** The description as a value to be changed at will. */
interface Open {
  [key: string]: Open;
}

const CREATE = 'paths /plants post';
const LIST = 'paths /plants get';
const NEW_PLANT = 'components schemas NewPlant';
const PARAMETER = 'components parameters IfMatch';
const ERROR = 'components responses NoSuchPlant content application/json schema';
const ID_PATH = 'paths /plants/{id}';

const TEXT = { type: 'string' };
const INT64 = { type: 'integer', format: 'int64' };
const ID = { $ref: '#/components/schemas/PlantId' };
const EMPTY = { type: 'object', properties: {} };
const OTHER = { operationId: 'other', responses: {} };
const failureOf = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });

const SAME = 'application/json must be the only media type';
const ONE_TYPE = 'there must be one type, with or without null beside it';
const BOUNDS = 'an integer must have the format int64 or int32, or minimum and maximum, and bounds within 2^53';
const DEFAULT = 'it must be of type integer, and an integer within 2^53';
const OWN = (status: string) => `there must be ${status}, which the service itself answers`;
const INHERITED = 'every object has a member of this name';
const FAILURE = 'a failure must have the integer error and the text message';
const BEARER = 'the credential must be of one http scheme, bearer, with a list of scopes';
const IN_PATH = 'the parameters in the path must be those that the path names';
const PLAIN = 'a path must have plain names, or whole parameters, between slashes';

/** A change of the description, and what it is refused for: the place where it stands unless another is named, and the rule. */
const REFUSED: readonly (readonly [what: string, path: string, value: unknown, rule: string, place?: string])[] = [
  ['another version of OpenAPI', 'openapi', '3.0.3', 'the version must be 3.1'],
  ['requests that the service sends', 'webhooks', {}, 'webhooks is not implemented here'],
  [
    'another address',
    'servers 0 url',
    'https://example.org',
    'the url must be {base_url}, which --base-url sets',
    'servers 0',
  ],
  ['an address that cannot be set', 'servers 0 variables base_url', undefined, 'there must be an object'],
  [
    'a choice of addresses',
    'servers 0 variables base_url enum',
    ['https://example.org'],
    'enum is not implemented here',
  ],
  ['no address', 'servers', [], 'there must be a server'],
  ['an operation of another method', 'paths /plants head', OTHER, 'head is not implemented here'],
  ['a path elsewhere', 'paths /plants $ref', '#/components/pathItems/Plants', '$ref is not implemented here'],
  ['a parameter within a segment', 'paths /plants/{id}:water', {}, PLAIN],
  ['a path that no request spells so', 'paths /plänte', {}, PLAIN],
  ['a path that another one hides', 'paths /plants/{name}', { get: OTHER }, 'another path takes the same requests'],
  ['requests that an operation sends', `${CREATE} callbacks`, {}, 'callbacks is not implemented here'],
  ['an operation without a name', `${CREATE} operationId`, undefined, 'an operation must have an operationId', CREATE],
  ['two operations of one name', `${CREATE} operationId`, 'listPlants', 'another operation has this operationId'],
  ['a parameter in a cookie', `${PARAMETER} in`, 'cookie', 'a parameter must be in path, query or header', PARAMETER],
  [
    'a parameter that is a list',
    `${PARAMETER} schema`,
    { type: 'array' },
    'the type of a parameter must be string or integer',
  ],
  ['a parameter without a name', `${PARAMETER} name`, undefined, 'a parameter must have a name', PARAMETER],
  ['a parameter of JSON', `${PARAMETER} content`, {}, 'content is not implemented here'],
  [
    'a parameter of another style',
    `${LIST} parameters 0 style`,
    'deepObject',
    'the style must be form in the query, or else simple',
  ],
  [
    'a parameter by two names of one place',
    `${LIST} parameters 1 name`,
    'limit',
    'the parameter is listed twice',
    `${LIST} parameters 1`,
  ],
  [
    'parameters of one name',
    `${ID_PATH} get parameters 0`,
    { name: 'id', in: 'query', schema: TEXT },
    'two parameters have the same name',
    `${ID_PATH} get`,
  ],
  [
    'a header field by two spellings',
    `${ID_PATH} delete parameters 1`,
    { name: 'if-match', in: 'header', schema: TEXT },
    'two parameters have the same name',
    `${ID_PATH} delete`,
  ],
  ['a parameter that OpenAPI ignores', `${PARAMETER} name`, 'accept', 'OpenAPI ignores a parameter accept', PARAMETER],
  ['a parameter of the path that nobody describes', `${ID_PATH} parameters`, [], IN_PATH, `${ID_PATH} get`],
  ['a parameter that the path does not have', `${LIST} parameters 0 in`, 'path', IN_PATH, LIST],
  [
    'a default that its own rule refuses',
    `${LIST} parameters 0 schema default`,
    0,
    'by its default limit must be an integer from 1 to 1000',
    `${LIST} parameters 0 schema`,
  ],
  [
    'a body that may be absent',
    `${CREATE} requestBody required`,
    false,
    'a body that may be absent is not implemented here',
    `${CREATE} requestBody`,
  ],
  ['a body of another kind too', `${CREATE} requestBody content text/csv`, {}, SAME, `${CREATE} requestBody content`],
  [
    'a body with rules for its parts',
    `${CREATE} requestBody content application/json encoding`,
    {},
    'encoding is not implemented here',
  ],
  ['no word of a credential', `${CREATE} responses 401`, undefined, OWN('401'), `${CREATE} responses`],
  ['no word of failures', 'paths /pots', { get: { ...OTHER, security: [] } }, OWN('400'), 'paths /pots get responses'],
  ['a range of statuses', `${CREATE} responses 4XX`, {}, 'a status must be one of 200 to 599'],
  ['any status', `${CREATE} responses default`, {}, 'a status must be one of 200 to 599'],
  ['a status before the answer', `${CREATE} responses 103`, {}, 'a status must be one of 200 to 599'],
  ['an answer that is not JSON', `${CREATE} responses 200 content`, { 'text/plain': {} }, SAME],
  [
    'an answer of anything',
    `${CREATE} responses 200 content application/json schema`,
    undefined,
    'there must be an object',
  ],
  ['an answer in two kinds', `${CREATE} responses 200 content text/csv`, {}, SAME, `${CREATE} responses 200 content`],
  ['content where HTTP has none', `${ID_PATH} delete responses 204 content`, {}, 'a 204 has no content'],
  ['content of what is kept', `${ID_PATH} get responses 304 content`, {}, 'a 304 has no content'],
  ['a failure of another shape', ERROR, EMPTY, FAILURE],
  ['a failure by a name', ERROR, failureOf({ error: TEXT, message: TEXT }), FAILURE],
  ['a failure by two numbers', ERROR, failureOf({ error: INT64, message: INT64 }), FAILURE],
  ['a failure that tells more', ERROR, failureOf({ error: INT64, message: TEXT, hint: TEXT }), FAILURE],
  ['an answer of members told apart', 'components schemas Plant allOf', [EMPTY], 'allOf is not implemented here'],
  ['an answer of any members', 'components schemas Plant', { type: 'object' }, 'an object must have properties'],
  [
    'a promised member that nobody writes',
    'components schemas Plant required',
    ['leaf'],
    'leaf is not among the properties',
    'components schemas Plant required 0',
  ],
  ['a body of any members', `${NEW_PLANT} additionalProperties`, TEXT, 'it can only be false here'],
  ['a body of conditional members', `${NEW_PLANT} if`, {}, 'if is not implemented here'],
  ['a body that is anything', NEW_PLANT, { properties: {} }, ONE_TYPE],
  [
    'a body within itself',
    `${NEW_PLANT} properties of`,
    { $ref: '#/components/schemas/NewPlant' },
    'a schema within itself is not implemented here',
    NEW_PLANT,
  ],
  ['a list of anything', `${NEW_PLANT} properties id`, { type: 'array' }, 'an array must have items'],
  [
    'int64 told apart as doubles',
    `${NEW_PLANT} properties ids`,
    { type: 'array', items: ID, uniqueItems: true },
    'it is implemented here for strings only',
    `${NEW_PLANT} properties ids uniqueItems`,
  ],
  ['a member of one of several kinds', `${NEW_PLANT} properties id`, { type: ['string', 'integer'] }, ONE_TYPE],
  ['a member of a kind that every object has', `${NEW_PLANT} properties id`, { type: 'constructor' }, ONE_TYPE],
  [
    'a member that only answers have',
    `${NEW_PLANT} properties at`,
    { ...TEXT, readOnly: true },
    'readOnly is not implemented here',
    `${NEW_PLANT} properties at readOnly`,
  ],
  ['a member that is always there', `${NEW_PLANT} properties constructor`, TEXT, INHERITED],
  ['a parameter that is always there', `${PARAMETER} name`, 'toString', INHERITED, PARAMETER],
  ['a choice of credentials', `${CREATE} security`, [{ bearerAuth: [] }, { other: [] }], BEARER, CREATE],
  ['several credentials at once', `${CREATE} security`, [{ bearerAuth: [], other: [] }], BEARER, CREATE],
  ['no credential as a choice', `${CREATE} security`, [{}], BEARER, CREATE],
  ['a credential or none', `${CREATE} security`, [{ bearerAuth: [] }, {}], BEARER, CREATE],
  ['scopes that are no list', `${CREATE} security`, [{ bearerAuth: 'plants:write' }], BEARER, CREATE],
  ['parameters that are no list', `${LIST} parameters`, {}, 'there must be a list'],
  ['another scheme', 'components securitySchemes bearerAuth type', 'openIdConnect', BEARER, LIST],
  ['another kind of credential', 'components securitySchemes bearerAuth scheme', 'basic', BEARER, LIST],
  ['a scheme that nobody describes', 'components securitySchemes', undefined, BEARER, LIST],
  ['a rule that nobody knows', 'components schemas Text readable', true, 'readable is not implemented here'],
  [
    'a rule that cannot be read',
    'components schemas Text pattern',
    '(',
    'Invalid regular expression: /(/u: Unterminated group',
    `${LIST} parameters 1 schema`,
  ],
  [
    'a format that nobody checks',
    'components schemas Text format',
    'uuid',
    'the format uuid is not checked here for the type string',
  ],
  [
    'a format of another type',
    'components schemas Text format',
    'int64',
    'the format int64 is not checked here for the type string',
  ],
  ['an integer without an end', `${NEW_PLANT} properties pots`, { type: 'integer', minimum: 0 }, BOUNDS],
  [
    'an integer that no double holds',
    'components schemas PlantId format',
    undefined,
    BOUNDS,
    'components schemas PlantId',
  ],
  ['a choice of int64', 'components schemas PlantId enum', [1, 2], 'enum of an int64 is not implemented here'],
  [
    'an int64 that is to be a multiple',
    'components schemas PlantId multipleOf',
    2,
    'multipleOf of an int64 is not implemented here',
  ],
  [
    'an int64 that may be null',
    'components schemas PlantId type',
    ['integer', 'null'],
    'an integer that may be null is not implemented here',
    'components schemas PlantId',
  ],
  [
    'an upper bound that no double holds',
    'components schemas PlantId maximum',
    10 ** 18,
    BOUNDS,
    'components schemas PlantId',
  ],
  [
    'a lower bound that no double holds',
    'components schemas PlantId minimum',
    2 ** 63,
    BOUNDS,
    'components schemas PlantId',
  ],
  ['a default that no double holds', 'components schemas PlantId default', 2 ** 63, DEFAULT],
  [
    'a rule beside a reference',
    `${NEW_PLANT} properties id minimum`,
    1,
    'beside a $ref minimum is not implemented here',
    `${NEW_PLANT} properties id`,
  ],
  [
    'a reference to nothing',
    `${NEW_PLANT} properties id $ref`,
    '#/components/ids/Id',
    'there is no #/components/ids/Id',
    `${NEW_PLANT} properties id`,
  ],
  [
    'a reference to elsewhere',
    `${NEW_PLANT} properties id $ref`,
    'ids.yaml#/components/schemas/PlantId',
    'there is no ids.yaml#/components/schemas/PlantId',
    `${NEW_PLANT} properties id`,
  ],
  [
    'an invalid reference',
    `${NEW_PLANT} properties id $ref`,
    '#/%zz',
    'there is no #/%zz',
    `${NEW_PLANT} properties id`,
  ],
  ['a reference to itself', 'components schemas PlantId', ID, 'the reference leads to itself'],
];

for (const [what, path, value, rule, place = path] of REFUSED) {
  test(`${what} is refused at the start with its place, since it is not implemented here`, () => {
    const at = place.split(' ').map((name) => name.replaceAll('/', '~1'));
    const message = `openapi.yaml, #/${at.join('/')}: ${rule}`;
    assert.throws(() => compileWith(path, value), { name: 'StartupError', message });
  });
}

/** The operations of the description with another value in one place, or with none. */
function compileWith(path: string, value: unknown): Operation[] {
  const description = parseDescription(readDescription());
  const keys = path.split(' ');
  const last = keys.pop() as string;
  const target = keys.reduce((node, key) => node[key] as Open, description as unknown as Open);
  if (value === undefined) delete target[last];
  else target[last] = value as Open;
  return compileOperations(description);
}

/** What createPlant would read from a body, were a new plant something else. */
function read(newPlant: unknown, text: string): unknown {
  const create = compileWith('components schemas NewPlant', newPlant).find(({ id }) => id === 'createPlant');
  const json = parseJson(Buffer.from(text));
  assert.ok(!('fault' in json));
  return create?.body?.(json);
}

test('an int64 in a list is as exact as one outside, and members that are not named are left out there too', () => {
  const plants = {
    type: 'array',
    items: { type: 'object', properties: { id: ID, ids: { type: 'array', items: ID } } },
  };
  const body = '[{"id": 9223372036854775807, "more": 1}, {"ids": [1, 9007199254740993, 2.0], "id": -7}]';
  assert.deepEqual(read(plants, body), {
    value: [{ id: 9223372036854775807n }, { ids: [1n, 9007199254740993n, 2n], id: -7n }],
  });
});

const TOLD: readonly (readonly [member: unknown, value: unknown, told: string])[] = [
  [{ type: 'string', enum: ['sun', 'shade'] }, 'moon', 'it must be one of "sun", "shade"'],
  [{ type: 'boolean' }, 'yes', 'it must be a boolean'],
  [{ type: 'number', minimum: 0 }, 'warm', 'it must be a number'],
  [{ type: 'number', minimum: 0 }, -1, 'it must be >= 0'],
  [{ type: 'integer', format: 'int32', multipleOf: 5 }, 7, 'it must be multiple of 5'],
  [{ type: 'integer', format: 'int32' }, 2 ** 31, 'it must be an integer from -2147483648 to 2147483647'],
  [{ type: 'integer', format: 'int32' }, -(2 ** 31) - 1, 'it must be an integer from -2147483648 to 2147483647'],
  [{ type: 'string', const: 'sun' }, 'moon', 'it must be "sun"'],
  [{ type: 'array', items: { type: 'string' }, maxItems: 1 }, ['a', 'b'], 'it must NOT have more than 1 items'],
  [{ type: ['string', 'null'] }, 7, 'it must be a string or null'],
  [{ type: 'string', minLength: 3, maxLength: 5 }, 'ab', 'it must be a string of at least 3 and at most 5 characters'],
  [{ type: 'object', properties: {}, additionalProperties: false }, { more: 1 }, 'it.more must be left out'],
];

for (const [member, value, told] of TOLD) {
  test(`a member that breaks ${JSON.stringify(member)} is told which rule`, () => {
    assert.deepEqual(read({ type: 'object', properties: { it: member } }, JSON.stringify({ it: value })), {
      faults: [told],
    });
  });
}

test('what is not given has the value that its default says, an int64 as such', () => {
  const plant = {
    type: 'object',
    properties: {
      light: { type: 'string', default: 'sun' },
      pot: { type: ['string', 'null'], default: null },
      id: { ...INT64, default: 7 },
    },
  };
  assert.deepEqual(read(plant, '{}'), { value: { light: 'sun', pot: null, id: 7n } });
  assert.deepEqual(read(plant, '{"light": "shade", "pot": "red", "id": 8}'), {
    value: { light: 'shade', pot: 'red', id: 8n },
  });

  const [list] = compileWith('paths /plants get parameters 0 schema', { ...INT64, default: 7 });
  assert.equal(list?.parameters[0]?.fallback, 7n);
});

test('an operation that names no credential needs the one of all, and none where it says so', () => {
  const scopesOf = (security: unknown) => compileWith('paths /plants get security', security)[0]?.scopes;
  assert.deepEqual(scopesOf(undefined), []);
  assert.equal(scopesOf([]), undefined);
  const failure = { $ref: '#/components/responses/NoSuchPlant' };
  const open = { ...OTHER, security: [], responses: { 400: failure, 500: failure, 503: failure } };
  assert.equal(compileWith('paths /pots', { get: open }).find(({ id }) => id === 'other')?.scopes, undefined);
});

test("an operation's own parameter overrides the path's", () => {
  const own = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const get = compileWith('paths /plants/{id} get parameters', [own]).find(({ id }) => id === 'getPlant');
  assert.deepEqual(
    get?.parameters.map((parameter) => parameter.read('aloe')),
    [{ value: 'aloe' }],
  );
});

test('a fault in a list is reported with its position', () => {
  const ids = { type: 'object', properties: { ids: { type: 'array', items: ID } } };
  const range = 'an integer from -9223372036854775808 to 9223372036854775807';
  assert.deepEqual(read(ids, '{"ids": [1, 9223372036854775808, 3, "4"]}'), {
    faults: [`ids.3 must be ${range}`, `ids.1 must be ${range}`],
  });
  assert.deepEqual(read(ids, '{"ids": 7}'), { faults: ['ids must be an array'] });
});

test('a list of numbers whose source has to be looked at is read in linear time', () => {
  // Were the text taken apart for each of them, this would not come back within minutes.
  const body = `[${'1.0,'.repeat(100_000)}1.0]`;
  const { value } = read({ type: 'array', items: ID }, body) as { value: readonly bigint[] };
  assert.equal(value.length, 100_001);
});

test('an integer of any width is judged by what was written: a number with a fraction that a double loses is no integer', () => {
  const pots = { type: 'object', properties: { pots: { type: 'integer', format: 'int32' } } };
  assert.deepEqual(read(pots, '{"pots": 20e-1}'), { value: { pots: 2 } });
  assert.deepEqual(read(pots, '{"pots": 2.00000000000000000001}'), {
    faults: ['pots must be an integer from -2147483648 to 2147483647'],
  });
});

test('a member is reported by its own name, whatever characters it has', () => {
  const pot = { type: 'object', properties: { 'w/h~1d': TEXT } };
  assert.deepEqual(read(pot, '{"w/h~1d": 1}'), { faults: ['w/h~1d must be a string'] });
});

test('a member that is missing is told by what its reference leads to', () => {
  const pot = { type: 'object', required: ['id'], properties: { id: ID } };
  assert.deepEqual(read(pot, '{}'), {
    faults: ['id is missing: it must be an integer from -9223372036854775808 to 9223372036854775807'],
  });
});

test('a body that is described elsewhere is read as one that is described in its place', () => {
  const description = parseDescription(readDescription()) as unknown as Open;
  const post = CREATE.split(' ').reduce((node, key) => node[key] as Open, description);
  const { requestBody } = post;
  Object.assign(description['components'] as Open, { requestBodies: { 'A/plant': requestBody } });
  Object.assign(post, { requestBody: { $ref: '#/components/requestBodies/A~1plant' } });
  const create = compileOperations(description as unknown as Description).find(({ id }) => id === 'createPlant');
  const json = parseJson(Buffer.from('{"id": 7, "name": "a", "more": 1}'));
  assert.ok(!('fault' in json));
  assert.deepEqual(create?.body?.(json), { value: { id: 7n, name: 'a' } });
});

test('what only tells changes nothing, beside a reference too', () => {
  const words = { title: 'Pot', example: {}, externalDocs: { url: 'https://example.org' }, 'x-glazed': true };
  const pot = { type: 'object', properties: { of: { ...TEXT, ...words }, id: { ...ID, ...words } }, ...words };
  assert.deepEqual(read(pot, '{"of": "clay", "id": 7}'), { value: { of: 'clay', id: 7n } });
  assert.doesNotThrow(() => compileWith(`${LIST} parameters 0 style`, 'form'));
});

test('an answer has null where its schema allows it, and may have formats that nobody checks', () => {
  const pots = { type: ['array', 'null'], items: { type: ['object', 'null'], properties: { id: ID } } };
  const stored = compileWith('components schemas StoredPlant', { type: 'object', properties: { pots } });
  const write = stored.find(({ id }) => id === 'getPlant')?.responses.get(200);
  assert.equal(write?.({ pots: [{ id: 7n }, null] }), '{"pots":[{"id":7},null]}');
  assert.equal(write?.({ pots: null }), '{"pots":null}');
  const dated = compileWith('components schemas StoredPlant properties at', { ...TEXT, format: 'date-time' });
  const writeDated = dated.find(({ id }) => id === 'getPlant')?.responses.get(200);
  assert.equal(writeDated?.({ at: '2026-01-01T00:00:00Z' }), '{"at":"2026-01-01T00:00:00Z"}');
});

test('a parameter has the bounds of its format where it names none', () => {
  const [list] = compileWith(`${LIST} parameters 0 schema`, { type: 'integer', format: 'int32', default: 5 });
  for (const bound of [2 ** 31 - 1, -(2 ** 31)]) {
    assert.deepEqual(list?.parameters[0]?.read(String(bound)), { value: bound });
    assert.deepEqual(list?.parameters[0]?.read(String(bound + Math.sign(bound))), {
      fault: 'limit must be an integer from -2147483648 to 2147483647 in plain decimal notation',
    });
  }
});

test('a parameter is told every rule that it breaks, and once where one wording holds several', () => {
  const schema = { type: 'integer', format: 'int32', maximum: 9, multipleOf: 5, default: 5 };
  const [list] = compileWith(`${LIST} parameters 0 schema`, schema);
  assert.deepEqual(list?.parameters[0]?.read('5'), { value: 5 });
  assert.deepEqual(list?.parameters[0]?.read('11'), {
    fault: 'limit must be an integer from -2147483648 to 9; limit must be multiple of 5 in plain decimal notation',
  });
  const [text] = compileWith(`${LIST} parameters 0 schema`, { ...TEXT, maxLength: 1, pattern: '^a$' });
  assert.deepEqual(text?.parameters[0]?.read('bb'), {
    fault: 'limit must be a string of at most 1 characters that matches ^a$',
  });
});
