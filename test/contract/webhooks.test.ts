/** The generator and the harness read the webhooks of a description: the messages that the service sends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { generateContract } from '../../scripts/contract/generate-contract.ts';
import { servedForm } from '../../scripts/contract/served.ts';
import { checkMessage, Description } from '../harness/contract.ts';
import { change, weather } from './weather.ts';

/** Returns the code for the description with one value replaced or removed, with each run of blanks as one space. */
function generateWith(path: string, value: unknown): string {
  const document = change(weather(), path, value);
  return generateContract({ file: 'weather.yaml', document, imports: '.' }).replaceAll(/\s+/g, ' ');
}

const BEGAN = 'webhooks rain.began post';
const TEXT = { type: 'string' };
const EMPTY = { schema: { type: 'object', properties: {} } };

const SAME = 'application/json must be the only media type';
const STATUS = 'a status must be one of 200 to 599, 2XX to 5XX, or default';
const NO_CREDENTIAL = 'the security of a webhook must be [], since the service sends no credential';
const NAME = 'the name of a webhook must have only letters, digits, _, . and -';
const INHERITED = 'every object has a member of this name';

/** Changes of the description that the generator refuses: the rule, and the place if it differs from the change's. */
const REFUSED: readonly (readonly [what: string, path: string, value: unknown, rule: string, place?: string])[] = [
  ['webhooks that are not a map', 'webhooks', 'rain', 'there must be an object'],
  ['a name with a slash', 'webhooks rain/snow', {}, NAME],
  ['a name that every object inherits', 'webhooks constructor', {}, INHERITED],
  ['a webhook behind a reference', 'webhooks rain.began $ref', '#/x', '$ref is not implemented here'],
  ['a webhook with another method', 'webhooks rain.began put', {}, 'put is not implemented here'],
  ['parameters of all methods', 'webhooks rain.began parameters', [], 'parameters is not implemented here'],
  ['a webhook without a post', BEGAN, undefined, 'there must be an object'],
  ['servers of a webhook', `${BEGAN} servers`, [], 'servers is not implemented here'],
  ['a callback of a webhook', `${BEGAN} callbacks`, {}, 'callbacks is not implemented here'],
  [
    'a webhook without an operationId',
    `${BEGAN} operationId`,
    undefined,
    'an operation must have an operationId of letters and digits',
    BEGAN,
  ],
  ['the operationId of an operation', `${BEGAN} operationId`, 'getRain', 'another operation has this operationId'],
  [
    'the operationId of another webhook',
    'webhooks rain.ended post operationId',
    'rainBegan',
    'another operation has this operationId',
  ],
  ['the security of the whole description', `${BEGAN} security`, undefined, NO_CREDENTIAL, BEGAN],
  ['a credential of a webhook', `${BEGAN} security`, [{ bearerAuth: [] }], NO_CREDENTIAL, BEGAN],
  ['an empty security requirement', `${BEGAN} security`, [{}], NO_CREDENTIAL, BEGAN],
  [
    'a parameter in the query',
    `${BEGAN} parameters 1`,
    { name: 'page', in: 'query', schema: TEXT },
    'a parameter of a webhook must be in header',
  ],
  [
    'a parameter in the path',
    `${BEGAN} parameters 1`,
    { name: 'page', in: 'path', required: true, schema: TEXT },
    'the parameters in the path must be those that the path names',
    BEGAN,
  ],
  [
    'a parameter that OpenAPI ignores',
    `${BEGAN} parameters 1 name`,
    'Content-Type',
    'OpenAPI ignores a parameter Content-Type',
    `${BEGAN} parameters 1`,
  ],
  [
    'a header parameter with two spellings',
    `${BEGAN} parameters 1 name`,
    'WEBHOOK-ID',
    'two parameters have the same name',
    BEGAN,
  ],
  [
    'a parameter that is a list',
    `${BEGAN} parameters 1 schema`,
    { type: 'array', items: TEXT },
    'the type of a parameter must be string or integer',
  ],
  [
    'a parameter with a default',
    `${BEGAN} parameters 1 schema default`,
    1n,
    'default is not implemented here',
    `${BEGAN} parameters 1 schema default`,
  ],
  ['a webhook without a body', `${BEGAN} requestBody`, undefined, 'there must be an object'],
  [
    'a body that may be absent',
    `${BEGAN} requestBody required`,
    false,
    'the body of a webhook must be required',
    `${BEGAN} requestBody`,
  ],
  ['a body with two media types', `${BEGAN} requestBody content text/csv`, EMPTY, SAME, `${BEGAN} requestBody content`],
  ['a body of another media type', `${BEGAN} requestBody content`, { 'text/csv': EMPTY }, SAME],
  ['a body with an unknown member', `${BEGAN} requestBody encoding`, {}, 'encoding is not implemented here'],
  ['a body with allOf', 'components schemas RainBegan allOf', [], 'allOf is not implemented here'],
  ['a webhook without responses', `${BEGAN} responses`, undefined, 'there must be an object'],
  ['an informational status', `${BEGAN} responses 103`, {}, STATUS],
  ['a range of informational statuses', `${BEGAN} responses 1XX`, {}, STATUS],
  ['a status above 599', `${BEGAN} responses 600`, {}, STATUS],
  ['a response with content', `${BEGAN} responses 2XX content`, {}, 'content is not implemented here'],
  [
    'a link in a referenced response',
    'components responses Busy links',
    {},
    'links is not implemented here',
    'components responses Busy links',
  ],
];

describe('the generator', () => {
  for (const [what, path, value, rule, place = path] of REFUSED) {
    test(`refuses ${what} in webhooks and names its place`, () => {
      const at = place.split(' ').map((name) => name.replaceAll('/', '~1'));
      assert.throws(() => generateWith(path, value), { message: `weather.yaml, #/${at.join('/')}: ${rule}` });
    });
  }

  test('makes a table of the schemas of the messages, by the names of the webhooks', () => {
    const text = generateWith('info title', 'Rain');
    assert.match(text, /export const RainBegan = object\(\{ "type": oneOf\("rain.began"\), "timestamp": text\(/);
    const [, table] = /export const messages = \{ (.*?) \} as const;/.exec(text) ?? [];
    const drops = 'optional(int64(-9223372036854775808n, 9223372036854775807n))';
    assert.equal(table, `"rain.began": RainBegan, "rain.ended": object({ "drops": ${drops} }),`);
  });

  test('makes the same file as without webhooks, except for the table and the schemas of the messages', () => {
    const without = generateWith('webhooks', undefined);
    assert.doesNotMatch(without, /messages|RainBegan/);
    const kept = generateWith('info title', 'Rain')
      .replace(/export const RainBegan = .*?; export type RainBegan = .*?; /, '')
      .replace(/export const messages = .*? as const; /, '')
      .replace('oneOf, optional, ', '');
    assert.equal(kept.replace('int64, ', ''), without);
  });

  test('accepts each status from 200 to 599, their ranges and the default', () => {
    for (const status of ['200', '302', '599', '2XX', '3XX', '5XX', 'default']) {
      assert.match(generateWith(`${BEGAN} responses ${status}`, { description: 'Received' }), /messages/);
    }
  });

  test('serves each webhook in one line, unchanged', () => {
    const form = servedForm(weather() as never);
    assert.match(form, /^ {4}"rain.began": \{\n {6}"post": \{.*\}\n {4}\},$/m);
    const { webhooks, components } = JSON.parse(form);
    const [served, source] = [{ webhooks, components }, weather()].map((document) =>
      JSON.stringify([document['webhooks'], document['components']], (_key, value) =>
        typeof value === 'bigint' ? Number(value) : value,
      ),
    );
    assert.equal(served, source);
  });
});

describe('the check of messages', () => {
  const description = new Description(JSON.parse(servedForm(weather() as never)));
  const media = { 'content-type': 'application/json' };
  const headers = { ...media, 'webhook-id': 'abc', 'webhook-timestamp': '12' };
  const body = { type: 'rain.began', timestamp: '2026-11-26T12:00:00.000Z', data: { depth: 3 } };
  const check = (more: object, json: unknown = body) =>
    description.checkMessage('rain.began', { ...headers, ...more }, JSON.stringify(json));

  test('accepts a message that the description declares', () => {
    assert.equal(check({}), true);
    assert.equal(check({ 'user-agent': 'Rain', 'webhook-trace': 'a' }), true);
    assert.equal(description.checkMessage('rain.ended', media, '{"drops": 9223372036854775807}'), true);
  });

  test('does not know a webhook that the description does not have', () => {
    assert.equal(description.checkMessage('rain', headers, '{}'), false);
    assert.throws(() => checkMessage('rain.began', headers, '{}'), /no description has the webhook rain.began/);
  });

  const WRONG: readonly (readonly [what: string, headers: object, body: unknown, error: RegExp])[] = [
    ['without a required header', { 'webhook-id': undefined }, body, /no Webhook-Id/],
    ['with a header that does not match its schema', { 'webhook-id': 'ABC' }, body, /must match pattern/],
    ['with a number below the minimum', { 'webhook-timestamp': '0' }, body, /must be >= 1/],
    ['with a number in another notation', { 'webhook-timestamp': '1e3' }, body, /must be integer/],
    ['with an undeclared header', { 'webhook-attempt': '1' }, body, /header not declared/],
    ['with another media type', { 'content-type': 'text/plain' }, body, /the media type text\/plain is not declared/],
    ['of another type', {}, { ...body, type: 'rain.ended' }, /must be equal to constant/],
    ['without a required member', {}, { ...body, data: undefined }, /must have required property 'data'/],
    ['with a member of another type', {}, { ...body, data: { depth: '3' } }, /must be integer/],
  ];
  for (const [what, more, json, error] of WRONG) {
    test(`refuses a message ${what}`, () => assert.throws(() => check(more, json), error));
  }

  test('refuses a body that is not JSON, and an integer beyond int64', () => {
    assert.throws(() => description.checkMessage('rain.began', headers, '{'), /JSON/);
    const beyond = '{"drops": 9223372036854775808}';
    assert.throws(() => description.checkMessage('rain.ended', media, beyond), /is no int64/);
  });
});
