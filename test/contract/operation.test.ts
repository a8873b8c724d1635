/** Owns the promise that a description is served as it is written or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDescription, readDescription } from '../../src/contract/document.ts';
import { parseJson } from '../../src/contract/json.ts';
import { compileOperations, type Operation } from '../../src/contract/operation.ts';

/** The description as a value to be changed at will. */
interface Open {
  [key: string]: Open;
}

const CREATE = 'paths /plants post';
const PARAMETER = 'components parameters IfMatch';

const REFUSED: readonly (readonly [what: string, path: string, value: unknown, why: RegExp])[] = [
  ['an operation of another method', 'paths /plants head', { operationId: 'head' }, /\/plants .* head/],
  ['a path elsewhere', 'paths /plants $ref', '#/components/pathItems/Plants', /\/plants .* \$ref/],
  ['a parameter in a cookie', `${PARAMETER} in`, 'cookie', /If-Match/],
  ['a parameter that is neither text nor integer', `${PARAMETER} schema`, { type: 'array' }, /If-Match/],
  ['a body that may be absent', `${CREATE} requestBody required`, false, /createPlant .* body/],
  ['a range of statuses', `${CREATE} responses 4XX`, { description: 'any' }, /createPlant .* 4XX/],
  ['any status', `${CREATE} responses default`, { description: 'any' }, /createPlant .* default/],
  ['an answer that is not JSON', `${CREATE} responses 200 content`, { 'text/plain': {} }, /createPlant .* text\/plain/],
  ['an answer of members told apart', 'components schemas Plant', { allOf: [{ type: 'object' }] }, /allOf/],
  ['an answer of any members', 'components schemas Plant', { type: 'object' }, /object/],
  ['an answer with further members', 'components schemas StoredPlant allOf', [{ type: 'object' }], /allOf/],
  ['a body of members told apart', 'components schemas NewPlant', { allOf: [{ type: 'object' }] }, /allOf/],
  ['a body of any members', 'components schemas NewPlant', { additionalProperties: { type: 'string' } }, /additional/],
  ['a member of one of several kinds', 'components schemas NewPlant properties id', { oneOf: [] }, /oneOf/],
  ['a choice of credentials', `${CREATE} security`, [{ bearerAuth: [] }, { other: [] }], /createPlant .* credential/],
  ['several credentials at once', `${CREATE} security`, [{ bearerAuth: [], other: [] }], /createPlant .* credential/],
  ['no credential as a choice', `${CREATE} security`, [{}], /createPlant .* credential/],
  ['another scheme', 'components securitySchemes bearerAuth type', 'openIdConnect', /listPlants .* credential/],
  ['a rule that nobody knows', 'components schemas Text readable', true, /readable/],
  ['a format that nobody knows', 'components schemas Text format', 'leaf', /leaf/],
  ['a choice of int64', 'components schemas PlantId enum', [1, 2], /int64 .*enum/],
  ['an int64 that is to be a multiple', 'components schemas PlantId multipleOf', 2, /int64 .*multipleOf/],
  ['an int64 that may be null', 'components schemas PlantId type', ['integer', 'null'], /int64 .*null/],
  ['a bound that no double holds', 'components schemas PlantId maximum', 10 ** 18, /int64 .* maximum/],
  ['a default that no double holds', 'components schemas PlantId default', 10 ** 18, /int64 .*default/],
  ['a rule beside a reference', 'components schemas NewPlant properties id minimum', 1, /PlantId .* minimum/],
];

for (const [what, path, value, why] of REFUSED) {
  test(`${what} is refused at the start, since nobody here implements it`, () => {
    assert.throws(() => compileWith(path, value), why);
  });
}

/** The operations of the description with another value in one place. */
function compileWith(path: string, value: unknown): Operation[] {
  const description = parseDescription(readDescription());
  const keys = path.split(' ');
  const last = keys.pop() as string;
  const target = keys.reduce((node, key) => node[key] as Open, description as unknown as Open);
  target[last] = value as Open;
  return compileOperations(description);
}

/** What createPlant would read from a body, were a new plant something else. */
function read(newPlant: unknown, text: string): unknown {
  const create = compileWith('components schemas NewPlant', newPlant).find(({ id }) => id === 'createPlant');
  const json = parseJson(Buffer.from(text));
  assert.ok(!('fault' in json));
  return create?.body?.(json);
}

const INT64 = { type: 'integer', format: 'int64' };
const ID = { $ref: '#/components/schemas/PlantId' };

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
  [{ type: 'integer', multipleOf: 5 }, 7, 'it must be multiple of 5'],
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
    properties: { light: { type: 'string', default: 'sun' }, id: { ...INT64, default: 7 } },
  };
  assert.deepEqual(read(plant, '{}'), { value: { light: 'sun', id: 7n } });
  assert.deepEqual(read(plant, '{"light": "shade", "id": 8}'), { value: { light: 'shade', id: 8n } });

  const [list] = compileWith('paths /plants get parameters 0 schema', { ...INT64, default: 7 });
  assert.equal(list?.parameters[0]?.fallback, 7n);
});

test('an operation that names no credential needs the one of all, and none where it says so', () => {
  const scopesOf = (security: unknown) => compileWith('paths /plants get security', security)[0]?.scopes;
  assert.deepEqual(scopesOf(undefined), []);
  assert.equal(scopesOf([]), undefined);
});

test("an operation's own parameter overrides the path's", () => {
  const own = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const get = compileWith('paths /plants/{id} get parameters', [own]).find(({ id }) => id === 'getPlant');
  assert.deepEqual(
    get?.parameters.map((parameter) => parameter.read('aloe')),
    [{ value: 'aloe' }],
  );
});

test('a fault in a list is told with its position', () => {
  const ids = { type: 'object', properties: { ids: { type: 'array', items: ID } } };
  const range = 'an integer from -9223372036854775808 to 9223372036854775807';
  assert.deepEqual(read(ids, '{"ids": [1, 9223372036854775808, 3, "4"]}'), {
    faults: [`ids.3 must be ${range}`, `ids.1 must be ${range}`],
  });
});

test('a list of numbers whose source has to be looked at is read in linear time', () => {
  // Were the text taken apart for each of them, this would not come back within minutes.
  const body = `[${'1.0,'.repeat(100_000)}1.0]`;
  const { value } = read({ type: 'array', items: ID }, body) as { value: readonly bigint[] };
  assert.equal(value.length, 100_001);
});
