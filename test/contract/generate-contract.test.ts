/** The generator turns a description into code. It refuses what it would otherwise ignore, and names its place. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { generateContract } from '../../scripts/contract/generate-contract.ts';
import { readDescription } from '../../scripts/contract/read-description.ts';
import { createDirectory } from '../harness/directory.ts';

/** The description as a value that a test can change. */
interface Open {
  [key: string]: Open;
}

const CREATE = 'paths /plants post';
const LIST = 'paths /plants get';
const NEW_PLANT = 'components schemas NewPlant';
const PARAMETER = 'components parameters IfMatch';
const NO_SUCH_PLANT = 'components responses NoSuchPlant content';
const ERROR = 'components responses NoSuchPlant content application/json schema';
const ID_PATH = 'paths /plants/{id}';

const TEXT = { type: 'string' };
const INT64 = { type: 'integer', format: 'int64' };
const ID = { $ref: '#/components/schemas/PlantId' };
const EMPTY = { type: 'object', properties: {} };
const OTHER = { operationId: 'other', responses: {} };
const failureOf = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });

const SAME = 'application/json must be the only media type';
const JSON_TOO = 'application/json must be among the media types';
const ONE_TYPE = 'the type must be string, integer, array or object';
const BOUNDS = 'an integer must have the format int64 or int32, or minimum and maximum within 2^53';
const OWN = (status: string) => `there must be ${status}, which the service itself sends`;
const INHERITED = 'every object has a member of this name';
const FAILURE = 'an error must have the integer error and the text message';
const BEARER = 'the credential must be of one http scheme, bearer, with a list of scopes';
const IN_PATH = 'the parameters in the path must be those that the path names';
const NO_ID = 'an operation must have an operationId of letters and digits';
const PLAIN = 'a path must have plain names, or whole parameters, between slashes';

/** Changes of the description that the generator refuses: the rule, and the place if it differs from the change's. */
const REFUSED: readonly (readonly [what: string, path: string, value: unknown, rule: string, place?: string])[] = [
  ['another version of OpenAPI', 'openapi', '3.0.3', 'the version must be 3.1'],
  [
    'a server with a fixed URL',
    'servers 0 url',
    'https://example.org',
    'the url must be {base_url}, which --base-url sets',
    'servers 0',
  ],
  ['a server without the variable base_url', 'servers 0 variables base_url', undefined, 'there must be an object'],
  [
    'an enum of server URLs',
    'servers 0 variables base_url enum',
    ['https://example.org'],
    'enum is not implemented here',
  ],
  ['a description without a server', 'servers', [], 'there must be one server'],
  ['an operation with an unsupported method', 'paths /plants head', OTHER, 'head is not implemented here'],
  [
    'a path item behind a reference',
    'paths /plants $ref',
    '#/components/pathItems/Plants',
    '$ref is not implemented here',
  ],
  ['a path segment with more than a parameter', 'paths /plants/{id}:water', {}, PLAIN],
  ['a path with non-ASCII characters', 'paths /plänte', {}, PLAIN],
  [
    'two paths that match the same requests',
    'paths /plants/{name}',
    { get: OTHER },
    'another path takes the same requests',
  ],
  ['a callback', `${CREATE} callbacks`, {}, 'callbacks is not implemented here'],
  ['an operation without an operationId', `${CREATE} operationId`, undefined, NO_ID, CREATE],
  [
    'two operations with the same operationId',
    `${CREATE} operationId`,
    'listPlants',
    'another operation has this operationId',
  ],
  ['a parameter in a cookie', `${PARAMETER} in`, 'cookie', 'a parameter must be in path, query or header', PARAMETER],
  [
    'a parameter that is a list',
    `${PARAMETER} schema`,
    { type: 'array' },
    'the type of a parameter must be string or integer',
  ],
  ['a parameter without a name', `${PARAMETER} name`, undefined, 'a parameter must have a name', PARAMETER],
  ['a parameter with content instead of a schema', `${PARAMETER} content`, {}, 'content is not implemented here'],
  [
    'a parameter with an unsupported style',
    `${LIST} parameters 0 style`,
    'deepObject',
    'the style must be form in the query, or else simple',
  ],
  [
    'a parameter that is listed twice',
    `${LIST} parameters 1 name`,
    'limit',
    'the parameter is listed twice',
    `${LIST} parameters 1`,
  ],
  [
    'two parameters with the same name in different places',
    `${ID_PATH} get parameters 0`,
    { name: 'id', in: 'query', schema: TEXT },
    'two parameters have the same name',
    `${ID_PATH} get`,
  ],
  [
    'a header parameter with two spellings',
    `${ID_PATH} delete parameters 1`,
    { name: 'if-match', in: 'header', schema: TEXT },
    'two parameters have the same name',
    `${ID_PATH} delete`,
  ],
  ['a parameter that OpenAPI ignores', `${PARAMETER} name`, 'accept', 'OpenAPI ignores a parameter accept', PARAMETER],
  ['a path parameter without a description', `${ID_PATH} parameters`, [], IN_PATH, `${ID_PATH} get`],
  [
    'a path parameter that is not in the path',
    `${LIST} parameters 0`,
    { name: 'limit', in: 'path', required: true, schema: TEXT },
    IN_PATH,
    LIST,
  ],
  [
    'an optional path parameter',
    `${ID_PATH} parameters 0 required`,
    undefined,
    'a parameter in the path must be required',
    `${ID_PATH} parameters 0`,
  ],
  [
    'a default that breaks its own schema',
    `${LIST} parameters 0 schema default`,
    0n,
    'the default is wrong: limit must be an integer from 1 to 1000',
    `${LIST} parameters 0 schema`,
  ],
  [
    'an optional body with required members',
    `${CREATE} requestBody required`,
    false,
    'a body that may be absent must be an object without required members',
    `${CREATE} requestBody`,
  ],
  ['a body with two media types', `${CREATE} requestBody content text/csv`, {}, SAME, `${CREATE} requestBody content`],
  [
    'a body with an encoding',
    `${CREATE} requestBody content application/json encoding`,
    {},
    'encoding is not implemented here',
  ],
  ['an operation without a 401', `${CREATE} responses 401`, undefined, OWN('401'), `${CREATE} responses`],
  [
    'an operation without any status',
    'paths /pots',
    { get: { ...OTHER, security: [] } },
    OWN('400, 500, 503'),
    'paths /pots get responses',
  ],
  ['a range of statuses', `${CREATE} responses 4XX`, {}, 'a status must be one of 200 to 599'],
  ['a default response', `${CREATE} responses default`, {}, 'a status must be one of 200 to 599'],
  ['an informational status', `${CREATE} responses 103`, {}, 'a status must be one of 200 to 599'],
  ['a response without a media type', `${CREATE} responses 200 content`, {}, JSON_TOO],
  [
    'a response without a schema',
    `${CREATE} responses 200 content application/json schema`,
    undefined,
    'there must be an object',
  ],
  ['an error with two media types', `${NO_SUCH_PLANT} text/csv`, {}, SAME, NO_SUCH_PLANT],
  ['content in a 204', `${ID_PATH} delete responses 204 content`, {}, 'a 204 has no content'],
  ['content in a 304', `${ID_PATH} get responses 304 content`, {}, 'a 304 has no content'],
  ['an error that is not an Error object', ERROR, EMPTY, FAILURE],
  ['an Error whose number is a text', ERROR, failureOf({ error: TEXT, message: TEXT }), FAILURE],
  ['an Error whose message is a number', ERROR, failureOf({ error: INT64, message: INT64 }), FAILURE],
  ['an Error with another member', ERROR, failureOf({ error: INT64, message: TEXT, hint: TEXT }), FAILURE],
  ['a response with allOf', 'components schemas Plant allOf', [EMPTY], 'allOf is not implemented here'],
  ['a response without properties', 'components schemas Plant', { type: 'object' }, 'an object must have properties'],
  [
    'a required member that is not among the properties',
    'components schemas Plant required',
    ['leaf'],
    'leaf is not among the properties',
    'components schemas Plant required 0',
  ],
  [
    'a body with additionalProperties',
    `${NEW_PLANT} additionalProperties`,
    TEXT,
    'additionalProperties can only be false here',
  ],
  ['a body with an if', `${NEW_PLANT} if`, {}, 'if is not implemented here'],
  ['a body without a type', NEW_PLANT, { properties: {} }, ONE_TYPE],
  [
    'a body that contains itself',
    `${NEW_PLANT} properties of`,
    { $ref: '#/components/schemas/NewPlant' },
    'a schema within itself is not implemented here',
    NEW_PLANT,
  ],
  ['a list without items', `${NEW_PLANT} properties id`, { type: 'array' }, 'an array must have items'],
  ['a member with several types', `${NEW_PLANT} properties id`, { type: ['string', 'integer'] }, ONE_TYPE],
  [
    'a member whose type is a name that every object inherits',
    `${NEW_PLANT} properties id`,
    { type: 'constructor' },
    ONE_TYPE,
  ],
  [
    'a readOnly member',
    `${NEW_PLANT} properties at`,
    { ...TEXT, readOnly: true },
    'readOnly is not implemented here',
    `${NEW_PLANT} properties at readOnly`,
  ],
  ['a member with a name that every object inherits', `${NEW_PLANT} properties constructor`, TEXT, INHERITED],
  ['a parameter with a name that every object inherits', `${PARAMETER} name`, 'toString', INHERITED, PARAMETER],
  ['a choice of credentials', `${CREATE} security`, [{ bearerAuth: [] }, { other: [] }], BEARER, CREATE],
  ['several credentials together', `${CREATE} security`, [{ bearerAuth: [], other: [] }], BEARER, CREATE],
  ['an empty security requirement', `${CREATE} security`, [{}], BEARER, CREATE],
  ['an optional credential', `${CREATE} security`, [{ bearerAuth: [] }, {}], BEARER, CREATE],
  ['scopes that are not a list', `${CREATE} security`, [{ bearerAuth: 'plants:write' }], BEARER, CREATE],
  ['parameters that are not a list', `${LIST} parameters`, {}, 'there must be a list'],
  ['an unsupported security scheme', 'components securitySchemes bearerAuth type', 'openIdConnect', BEARER, LIST],
  ['an HTTP scheme other than bearer', 'components securitySchemes bearerAuth scheme', 'basic', BEARER, LIST],
  ['a security scheme that is not described', 'components securitySchemes', undefined, BEARER, LIST],
  ['an unknown keyword', 'components schemas PlantTag readable', true, 'readable is not implemented here'],
  [
    'an invalid pattern',
    'components schemas PlantTag pattern',
    '(',
    'Invalid regular expression: /(/u: Unterminated group',
  ],
  [
    'a format that is not checked',
    'components schemas PlantTag format',
    'uuid',
    'the format uuid is not checked here for the type string',
  ],
  [
    'a format of another type',
    'components schemas PlantTag format',
    'int64',
    'the format int64 is not checked here for the type string',
  ],
  ['an integer without an upper bound', `${NEW_PLANT} properties pots`, { type: 'integer', minimum: 0n }, BOUNDS],
  [
    'an integer beyond 2^53 without the format int64',
    'components schemas PlantId format',
    undefined,
    BOUNDS,
    'components schemas PlantId',
  ],
  ['an enum of int64', 'components schemas PlantId enum', [1n, 2n], 'enum is not implemented here'],
  ['an int64 with multipleOf', 'components schemas PlantId multipleOf', 2, 'multipleOf is not implemented here'],
  [
    'an int64 that may be null',
    'components schemas PlantId type',
    ['integer', 'null'],
    ONE_TYPE,
    'components schemas PlantId',
  ],
  [
    'an upper bound beyond int64',
    'components schemas PlantId maximum',
    2n ** 63n,
    BOUNDS,
    'components schemas PlantId',
  ],
  [
    'a lower bound beyond int64',
    'components schemas PlantId minimum',
    -(2n ** 63n) - 1n,
    BOUNDS,
    'components schemas PlantId',
  ],
  ['a default in a body', 'components schemas PlantId default', 7n, 'default is not implemented here'],
  [
    'a keyword beside a reference',
    `${NEW_PLANT} properties id minimum`,
    1n,
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
    'a reference to another file',
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
  test(`the generator refuses ${what} and names its place`, () => {
    const at = place.split(' ').map((name) => name.replaceAll('/', '~1'));
    assert.throws(() => generateWith(path, value), { message: `openapi.yaml, #/${at.join('/')}: ${rule}` });
  });
}

const SOURCE = readFileSync(new URL('../../contract/openapi.yaml', import.meta.url), 'utf8');
/** Each test changes a copy. Reading the YAML again would take much longer. */
const DESCRIPTION: Open = parse(SOURCE, { intAsBigInt: true });

/** Returns the code for the description with one value replaced or removed, with each run of blanks as one space. */
function generateWith(path: string, value: unknown): string {
  const document = structuredClone(DESCRIPTION);
  const keys = path.split(' ');
  const last = keys.pop() as string;
  const target = keys.reduce((node, key) => node[key] as Open, document);
  if (value === undefined) delete target[last];
  else target[last] = value as Open;
  return generateContract({ file: 'openapi.yaml', document, imports: '.' }).replaceAll(/\s+/g, ' ');
}

/** Returns the code of a member of a new plant. */
function codeOf(schema: object): string | undefined {
  const text = generateWith(NEW_PLANT, { type: 'object', properties: { it: schema } });
  return /const NewPlant = object\(\{ "it": optional\((.*?)\) \}\); export/.exec(text)?.[1];
}

const CODE: readonly (readonly [schema: object, code: string])[] = [
  [{ $ref: '#/components/schemas/PlantId' }, 'PlantId'],
  [INT64, 'int64(-9223372036854775808n, 9223372036854775807n)'],
  [{ ...INT64, minimum: 1n }, 'int64(1n, 9223372036854775807n)'],
  [{ type: 'integer', format: 'int32' }, 'integer(-2147483648, 2147483647)'],
  [{ type: 'integer', minimum: 0n, maximum: 9n }, 'integer(0, 9)'],
  [TEXT, 'text({ rule: "a string" })'],
  [{ ...TEXT, minLength: 1n }, 'text({ minLength: 1, rule: "a string that is not empty" })'],
  [
    { ...TEXT, minLength: 3n, maxLength: 5n },
    'text({ minLength: 3, maxLength: 5, rule: "a string of at least 3 and at most 5 characters" })',
  ],
  [{ ...TEXT, pattern: '^/$' }, 'text({ pattern: /^\\/$/u, rule: "a string that matches ^/$" })'],
  [{ ...TEXT, pattern: '^a$', description: 'One a.' }, 'text({ pattern: /^a$/u, rule: "a string: One a" })'],
  [{ type: 'array', items: INT64, maxItems: 2n }, 'array(int64(-9223372036854775808n, 9223372036854775807n), 2)'],
  [{ type: 'array', items: TEXT, title: 'Pots', 'x-glazed': true }, 'array(text({ rule: "a string" }))'],
];

for (const [schema, code] of CODE) {
  const shown = JSON.stringify(schema, (_key, value) => (typeof value === 'bigint' ? Number(value) : value));
  test(`the generator turns ${shown} into code`, () => {
    assert.equal(codeOf(schema), code);
  });
}

test('a text in a response may have a format that no code checks', () => {
  assert.match(
    generateWith('components schemas StoredPlant properties at', { ...TEXT, format: 'date-time' }),
    /"at": /,
  );
});

/** Two kinds of events, and the schema that lists them. */
const kindOf = (word: string) => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: { type: 'string', const: word } },
});
const EVENT = {
  oneOf: [{ $ref: '#/components/schemas/Rain' }, { $ref: '#/components/schemas/Sun' }],
  discriminator: {
    propertyName: 'kind',
    mapping: { 'sky.rain': '#/components/schemas/Rain', sun: '#/components/schemas/Sun' },
  },
};
const withEvent = (event: object, rain: object = kindOf('sky.rain')) =>
  generateWith('components schemas', {
    ...DESCRIPTION['components']?.['schemas'],
    Rain: rain,
    Sun: kindOf('sun'),
    StoredPlant: { type: 'object', properties: { event } },
  });

test('a response may have one of several objects, which a constant member distinguishes', () => {
  const text = withEvent(EVENT);
  assert.match(text, /const Rain = object\(\{ "kind": oneOf\("sky.rain"\) \}\);/);
  assert.match(text, /"event": optional\(variants\("kind", \{ "sky.rain": Rain, "sun": Sun \}\)\)/);
});

test('the generator refuses a discriminator that does not fit its schemas', () => {
  const { discriminator, oneOf } = EVENT;
  const mapping = { sun: '#/components/schemas/Sun' };
  const wrong: readonly (readonly [event: object, message: RegExp, rain?: object])[] = [
    [{ oneOf }, /there must be an object/],
    [{ ...EVENT, discriminator: { ...discriminator, mapping } }, /the mapping must have a word for each schema/],
    [EVENT, /#\/components\/schemas\/Rain: it must require kind, with the const sky.rain/, kindOf('rain')],
    [EVENT, /it must require kind, with the const sky.rain/, { ...kindOf('sky.rain'), required: [] }],
    [{ oneOf: [oneOf[0], oneOf[0]], discriminator }, /oneOf must list this schema/],
  ];
  for (const [event, message, rain] of wrong) assert.throws(() => withEvent(event, rain), { message });
});

test('a member of a response may be null', () => {
  const text = generateWith('components schemas StoredPlant properties note', { type: ['string', 'null'] });
  assert.match(text, /"note": optional\(nullable\(text\(\{ rule: "a string" \}\)\)\)/);
});

test('an operation needs the credential of the whole description, unless its own security is empty', () => {
  const scopesOf = (security: unknown) =>
    /path: "\/plants", scopes: (\S+),/.exec(generateWith(`${LIST} security`, security))?.[1];
  assert.equal(scopesOf(undefined), '[]');
  assert.equal(scopesOf([]), 'undefined');
  const failure = { $ref: '#/components/responses/NoSuchPlant' };
  const open = { ...OTHER, security: [], responses: { 400: failure, 500: failure, 503: failure } };
  assert.match(generateWith('paths /pots', { get: open }), /other: \{ id: 'other', .* scopes: undefined,/);
});

test('the parameter of an operation overrides the parameter of its path, and an int64 default stays a bigint', () => {
  const own = { name: 'id', in: 'path', required: true, schema: TEXT };
  const text = generateWith('paths /plants/{id} get parameters', [own]);
  assert.match(
    /getPlant: \{.*?parameters: \[(.*?)\]/.exec(text)?.[1] ?? '',
    /^\{ name: "id", in: 'path', required: true, schema: text\(\{ rule: "a string" \}\) \}$/,
  );
  const wide = generateWith(`${LIST} parameters 0 schema`, { ...INT64, default: 7n });
  assert.match(wide, /name: "limit", in: 'query', required: false, schema: int64\([^)]*\), fallback: 7n \}/);
});

test('a referenced body generates the same code as an inline body', () => {
  const document = structuredClone(DESCRIPTION);
  const post = CREATE.split(' ').reduce((node, key) => node[key] as Open, document);
  const requestBodies = { 'A/plant': post['requestBody'] };
  Object.assign(document['components'] as Open, { requestBodies });
  Object.assign(post, { requestBody: { $ref: '#/components/requestBodies/A~1plant' } });
  assert.match(generateContract({ file: 'openapi.yaml', document, imports: '.' }), /body: NewPlant,/);
});

test('a success with several media types has the schema of JSON and lists the other media types', () => {
  const text = generateWith(`${LIST} responses 200 content text/csv`, { schema: TEXT });
  assert.match(text, /listPlants: \{.*?responses: \{ 200: array\(.*?\s+otherTypes: \{ 200: \["text\/csv"\] \},/s);
});

test('a success without JSON has no schema and lists its media types', () => {
  const text = generateWith(`${LIST} responses 200 content`, { 'text/plain': { schema: TEXT } });
  assert.match(text, /listPlants: \{.*?responses: \{ 200: undefined,.*?\s+otherTypes: \{ 200: \["text\/plain"\] \},/s);
});

test('pages may read each header field that a response declares, except those that they can always read', () => {
  const headers = { Depth: {}, ETag: {}, 'Content-Language': {} };
  const text = generateWith(`${LIST} responses 200 headers`, headers);
  const [, fields = ''] = /exposedFields: readonly string\[\] = (\[.*\]);/.exec(text) ?? [];
  assert.ok(JSON.parse(fields).includes('Depth') && JSON.parse(fields).includes('Retry-After'));
  assert.ok(!JSON.parse(fields).includes('Content-Language'));
});

test('a description that is no YAML is refused with its path and the line', () => {
  using directory = createDirectory();
  const path = directory.at('twice.yaml');
  writeFileSync(path, 'openapi: 3.1.1\nopenapi: 3.1.1\n');
  assert.throws(() => readDescription(path), /twice\.yaml cannot be read: .+ line 2/);
});
