import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { breakingChanges } from '../../scripts/contract/breaking-changes.ts';

/** The description as a value that a test can change. */
interface Open {
  [key: string]: Open;
}

const SOURCE = readFileSync(new URL('../../contract/openapi.yaml', import.meta.url), 'utf8');
const description = (): Open => parse(SOURCE, { intAsBigInt: true });

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

const BREAKING: readonly (readonly [string, (document: Open) => void, RegExp])[] = [
  ['a path removed', remove('paths', '/plants/{id}'), /the path is gone/],
  ['an operation removed', remove('paths /plants', 'post'), /POST \/plants: the operation is gone/],
  ['another operationId', set(CREATE, 'operationId', 'addPlant'), /operationId changed/],
  ['a further scope', set(CREATE, 'security', [{ bearerAuth: ['plants:write', 'plants:read'] }]), /more credentials/],
  ['another scheme', set(CREATE, 'security', [{ apiKey: [] }]), /more credentials/],
  ['a status removed', remove(`${CREATE} responses`, '429'), /the status 429 is gone/],
  ['a success added', set(`${CREATE} responses`, '201', { description: 'Created' }), /the status 201 is new/],
  ['a media type of the body removed', set(`${CREATE} requestBody`, 'content', { 'text/csv': {} }), /no longer taken/],
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
