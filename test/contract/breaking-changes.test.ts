import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { breakingChanges } from '../../scripts/contract/breaking-changes.ts';
import { change, type Open, weather } from './weather.ts';

const SOURCE = readFileSync(new URL('../../contract/openapi.yaml', import.meta.url), 'utf8');
const BEFORE: Open = parse(SOURCE, { intAsBigInt: true });
/** A copy that a test can change. Reading the YAML again would take much longer. */
const description = () => structuredClone(BEFORE);

function at(document: Open, path: string): Open {
  return path.split(' ').reduce((node, key) => node[key] as Open, document);
}

function changed(change: (document: Open) => void): string[] {
  const after = description();
  change(after);
  return breakingChanges(description(), after);
}

const set = (path: string, key: string, value: unknown) => (document: Open) => {
  at(document, path)[key] = value as Open;
};
const remove = (path: string, key: string) => (document: Open) => {
  delete at(document, path)[key];
};

const LIST = 'paths /plants get';
const CREATE = 'paths /plants post';
const BODY = 'components schemas NewPlant';
const PLANT = 'components schemas Plant';

const BEGAN = 'webhooks rain.began post';
const RAIN = 'components schemas RainBegan';
const AT_BODY = 'POST rain.began, body';
const BUSY = 'components responses Busy headers';

const BREAKING: readonly (readonly [string, (document: Open) => void, RegExp])[] = [
  ['a path removed', remove('paths', '/plants/{id}'), /the path is gone/],
  ['an operation removed', remove('paths /plants', 'post'), /POST \/plants: the operation is gone/],
  ['another operationId', set(CREATE, 'operationId', 'addPlant'), /operationId changed/],
  ['a further scope', set(CREATE, 'security', [{ bearerAuth: ['plants:write', 'plants:read'] }]), /more credentials/],
  ['another scheme', set(CREATE, 'security', [{ apiKey: [] }]), /more credentials/],
  ['a status removed', remove(`${CREATE} responses`, '429'), /the status 429 is gone/],
  ['a success added', set(`${CREATE} responses`, '201', { description: 'Created' }), /the status 201 is new/],
  [
    'a media type of the body removed',
    set(`${CREATE} requestBody`, 'content', { 'text/csv': {} }),
    /a body of application\/json is gone/,
  ],
  ['a media type of the response removed', set(`${LIST} responses 200`, 'content', {}), /application\/json is gone/],
  ['a body that became required', set('paths /plants/{id} delete', 'requestBody', { required: true }), /body became/],
  [
    'a parameter removed',
    (document) => (at(document, LIST)['parameters'] as unknown as Open[]).splice(1, 1),
    /tag is gone/,
  ],
  ['a parameter that became required', set(`${LIST} parameters 0`, 'required', true), /limit became required/],
  [
    'a required parameter added',
    (document) =>
      (at(document, LIST)['parameters'] as unknown as unknown[]).push({ name: 'shop', in: 'query', required: true }),
    /shop became required/,
  ],
  ['a limit narrowed', set(`${LIST} parameters 0 schema`, 'maximum', 100n), /maximum allows less/],
  ['a limit made', set('components parameters IfMatch schema', 'maxLength', 64n), /maxLength allows less/],
  ['another default', set(`${LIST} parameters 0 schema`, 'default', 10n), /default changed/],
  [
    'an int64 bound by one less',
    set('components schemas PlantId', 'maximum', 9223372036854775806n),
    /maximum allows less/,
  ],
  [
    'an int64 bound by one more',
    set('components schemas PlantId', 'maximum', 9223372036854775808n),
    /maximum allows more/,
  ],
  ['a member of the body that became required', set(BODY, 'required', ['id', 'name', 'tag']), /tag became required/],
  ['a member of the body removed', remove(`${BODY} properties`, 'tag'), /body: tag is gone/],
  ['a member of the body of another type', set(`${BODY} properties id`, 'type', 'string'), /id: type allows less/],
  ['an enumeration of the body', set(`${BODY} properties tag`, 'enum', ['succulent']), /tag: enum allows less/],
  ['another pattern', set('components schemas PlantName', 'pattern', '^[a-z]*$'), /pattern changed/],
  [
    'a wider pattern of the response',
    set('components schemas PlantName', 'pattern', '^[^\\x00]*$|a'),
    /pattern changed/,
  ],
  ['another format', set('components schemas PlantId', 'format', 'int32'), /format changed/],
  ['a body closed to other members', set(BODY, 'additionalProperties', false), /additional members changed/],
  ['a member of the response no longer promised', set(PLANT, 'required', []), /200, body: name is no longer promised/],
  ['a member of the response removed', remove(`${PLANT} properties`, 'tag'), /200, body: tag is gone/],
  ['a wider type of the response', set(`${PLANT} properties name`, 'type', ['string', 'null']), /type allows more/],
  ['a longer text of the response', set('components schemas PlantName', 'maxLength', 2048n), /maxLength allows more/],
  ['a header removed', remove(`${CREATE} responses 200 headers`, 'Location'), /header Location is gone/],
  ['a header no longer promised', set('components headers ETag', 'required', false), /header ETag became optional/],
  ['a wider header', remove('components headers RetryAfter schema', 'minimum'), /Retry-After: minimum allows more/],
  ['a schema of alternatives', set(PLANT, 'oneOf', [{}]), /oneOf changed/],
];

test('an alternative behind the pattern of a request is not a breaking change', () => {
  const { pattern } = at(description(), 'components schemas EntityTags') as unknown as { readonly pattern: string };
  assert.deepEqual(changed(set('components schemas EntityTags', 'pattern', `${pattern}|^none$`)), []);
  assert.notDeepEqual(changed(set('components schemas EntityTags', 'pattern', `^none$|${pattern}`)), []);
});

for (const [name, change, expected] of BREAKING) {
  test(`${name} is a breaking change`, () => {
    const found = changed(change);
    assert.ok(
      found.some((line) => expected.test(line)),
      `${expected} is not among ${JSON.stringify(found)}`,
    );
  });
}

const ADDITIVE: readonly (readonly [string, (document: Open) => void])[] = [
  ['no change', () => {}],
  ['a path added', set('paths', '/pots', { get: {} })],
  ['an operation added', set('paths /plants', 'patch', { operationId: 'patchPlants', responses: {} })],
  [
    'an optional parameter added',
    (document) =>
      (at(document, LIST)['parameters'] as unknown as unknown[]).push({ name: 'q', in: 'query', schema: {} }),
  ],
  ['an optional member of the body added', set(`${BODY} properties`, 'pot', { type: 'string' })],
  ['a member of the response added', set(`${PLANT} properties`, 'pot', { type: 'string' })],
  ['a promised member of the response added', set('components schemas StoredPlant', 'required', ['id', 'name', 'pot'])],
  ['a failure added', set(`${CREATE} responses`, '409', { description: 'Conflict' })],
  ['a header added', set(`${CREATE} responses 200 headers`, 'X-Pot', { schema: { type: 'string' } })],
  ['a media type added', set(`${CREATE} requestBody content`, 'application/cbor', {})],
  ['a parameter widened', set(`${LIST} parameters 0 schema`, 'maximum', 5000n)],
  ['no scope any more', set(CREATE, 'security', [{ bearerAuth: [] }])],
  ['another way to authenticate', set(CREATE, 'security', [{ bearerAuth: ['plants:write'] }, { apiKey: [] }])],
  ['other words', set(CREATE, 'description', 'Creates.')],
  ['another example', set(`${BODY}`, 'examples', [])],
];

for (const [name, change] of ADDITIVE) {
  test(`${name} is not a breaking change`, () => assert.deepEqual(changed(change), []));
}

test('a member added to a closed response is a breaking change', () => {
  const [before, after] = [description(), description()];
  for (const one of [before, after]) at(one, 'components schemas StoredPlant')['additionalProperties'] = false as never;
  at(after, 'components schemas StoredPlant properties')['pot'] = { type: 'string' } as never;
  assert.match(breakingChanges(before, after).join(), /GET \/plants\/\{id\}, 200, body: pot is new/);
});

test('a value added to an enum of a response breaks clients, unless the enum is open', () => {
  for (const [isOpen, expected] of [
    [false, ['GET /plants/{id}, 200, body.sort: enum allows more']],
    [true, []],
  ] as const) {
    const [before, after] = [['shrub'], ['shrub', 'tree']].map((values) => {
      const document = description();
      const sort = { enum: values, ...(isOpen && { 'x-open-enum': true }) };
      at(document, 'components schemas StoredPlant properties')['sort'] = sort as never;
      return document;
    }) as [Open, Open];
    const found = breakingChanges(before, after).filter((change) => change.includes('/plants/{id}, 200'));
    assert.deepEqual(
      found.slice(0, 1).map((line) => line.replace(/^.*?GET/, 'GET')),
      expected,
    );
  }
});

/** Changes of webhooks, with the line of each breaking change. A receiver is the client of a webhook. */
const OF_WEBHOOKS: readonly (readonly [what: string, path: string, value: unknown, line?: string])[] = [
  ['a webhook removed', 'webhooks rain.ended', undefined, 'rain.ended: the webhook is gone'],
  ['all webhooks removed', 'webhooks', undefined, 'rain.began: the webhook is gone'],
  ['its operation removed', 'webhooks rain.ended post', undefined, 'POST rain.ended: the operation is gone'],
  ['another operationId', `${BEGAN} operationId`, 'rains', 'POST rain.began: the operationId changed'],
  [
    'a header removed',
    `${BEGAN} parameters 2 name`,
    'webhook-trail',
    'POST rain.began: the header parameter webhook-trace is gone',
  ],
  [
    'a header no longer promised',
    `${BEGAN} parameters 1 required`,
    false,
    'POST rain.began: the header parameter webhook-timestamp became optional',
  ],
  [
    'a wider header',
    `${BEGAN} parameters 1 schema minimum`,
    0n,
    'POST rain.began, header parameter webhook-timestamp: minimum allows more',
  ],
  ['a body no longer promised', `${BEGAN} requestBody required`, false, 'POST rain.began: the body became optional'],
  ['another media type', `${BEGAN} requestBody content`, {}, 'POST rain.began: a body of application/json is gone'],
  ['a member removed', `${RAIN} properties data`, undefined, 'POST rain.began, body: data is gone'],
  ['a member no longer promised', `${RAIN} required`, ['type', 'data'], `${AT_BODY}: timestamp is no longer promised`],
  [
    'a member of another type',
    `${RAIN} properties timestamp type`,
    'integer',
    `${AT_BODY}.timestamp: type allows more`,
  ],
  [
    'a member that may be null',
    `${RAIN} properties timestamp type`,
    ['string', 'null'],
    `${AT_BODY}.timestamp: type allows more`,
  ],
  ['another type of event', `${RAIN} properties type const`, 'rain', `${AT_BODY}.type: enum allows more`],
  ['a class of responses removed', `${BEGAN} responses 2XX`, undefined, 'POST rain.began: the status 2XX is gone'],
  [
    'the default response removed',
    `${BEGAN} responses default`,
    undefined,
    'POST rain.began: the status default is gone',
  ],
  [
    'a header of a response that is no longer read',
    `${BUSY} Retry-After`,
    undefined,
    'POST rain.began, 503: the header Retry-After is gone',
  ],
  [
    'a narrower header of a response',
    `${BUSY} Retry-After schema maximum`,
    60n,
    'POST rain.began, 503, header Retry-After: maximum allows less',
  ],
  [
    'a header of a response that became required',
    `${BUSY} Retry-After required`,
    true,
    'POST rain.began, 503: the header Retry-After became required',
  ],
  [
    'a required header of a response added',
    `${BUSY} Rain`,
    { required: true, schema: {} },
    'POST rain.began, 503: the header Rain became required',
  ],
  ['no change', 'webhooks', weather()['webhooks']],
  ['a webhook added', 'webhooks snow', { post: { operationId: 'snow' } }],
  ['a member added', `${RAIN} properties wind`, { type: 'string' }],
  ['a narrower member', `${RAIN} properties timestamp maxLength`, 24n],
  ['a narrower header', `${BEGAN} parameters 1 schema minimum`, 2n],
  ['a required header added', `${BEGAN} parameters 3`, { name: 'wind', in: 'header', required: true, schema: {} }],
  ['a header that became required', `${BEGAN} parameters 2 required`, true],
  ['a class of responses added', `${BEGAN} responses 3XX`, { description: 'The service does not follow.' }],
  ['a success added', `${BEGAN} responses 202`, { description: 'The message has arrived.' }],
  ['a wider header of a response', `${BUSY} Retry-After schema maximum`, 7200n],
  ['an optional header of a response added', `${BUSY} Rain`, { schema: {} }],
];

for (const [what, path, value, line] of OF_WEBHOOKS) {
  test(`${what} is ${line === undefined ? 'not ' : ''}a breaking change of a webhook`, () => {
    const [first] = breakingChanges(weather(), change(weather(), path, value));
    assert.equal(first, line);
  });
}

test('the comparison of a schema that refers to itself ends', () => {
  const tree = { $ref: '#/components/schemas/Tree' };
  const document = (max: number) => ({
    paths: { '/': { get: { responses: { 200: { content: { 'application/json': { schema: tree } } } } } } },
    components: {
      schemas: { Tree: { properties: { children: { type: 'array', items: tree }, n: { maximum: max } } } },
    },
  });
  assert.deepEqual(breakingChanges(document(1), document(1)), []);
  assert.equal(breakingChanges(document(1), document(2)).length, 1);
});

test('the description has no breaking change since each release of its major version', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/contract/check.ts'], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
});
