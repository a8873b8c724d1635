import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { DESCRIPTIONS } from '../../scripts/contract/descriptions.ts';
import { startTestService } from '../harness/service.ts';

type Tree = Readonly<Record<string, unknown>>;
const childOf = (node: Tree, name: string) => node[name] as Tree;

test('each served description is valid under the official schema of its OpenAPI version', async () => {
  await using service = await startTestService({ baseUrl: 'https://plants.example/store' });
  for (const [target, version] of [
    ['/openapi.json', '3.1'],
    ['/openapi.yaml', '3.1'],
    ['/openapi-3.0.json', '3.0'],
  ] as const) {
    const { text } = await service.client.send('GET', target);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(text);
    assert.equal(valid, true, JSON.stringify(errors));
    assert.equal(validator.version, version);
  }
});

test('the schema Error has no example, which Prism and Stoplight Elements would show at every status', async () => {
  await using service = await startTestService();
  const { text } = await service.client.send('GET', '/openapi.json');
  assert.equal(JSON.parse(text).components.schemas.Error.examples, undefined);
});

for (const { path } of DESCRIPTIONS) {
  test(`in ${path}, every response declares the fields that the service adds, and shows an example`, () => {
    const description: Tree = parse(readFileSync(path, 'utf8'));
    const resolve = (node: Tree = {}): Tree =>
      typeof node['$ref'] === 'string' ? resolve(node['$ref'].split('/').slice(1).reduce(childOf, description)) : node;
    for (const [target, methods] of Object.entries(description['paths'] as Tree)) {
      for (const [method, operation] of Object.entries(methods as Readonly<Record<string, Tree>>)) {
        if (method === 'parameters') continue;
        const isOpen = (operation['security'] as readonly unknown[] | undefined)?.length === 0;
        for (const [status, reference] of Object.entries(operation['responses'] as Readonly<Record<string, Tree>>)) {
          const { headers = {}, content = {} } = resolve(reference) as Readonly<Record<string, Tree>>;
          const isLimited = !isOpen && !['401', '403'].includes(status);
          const missing = ['X-Request-Id', ...(isLimited ? ['RateLimit', 'RateLimit-Policy'] : [])].filter(
            (name) => !Object.hasOwn(headers, name),
          );
          const what = `${status} of ${method} ${target}`;
          assert.deepEqual(missing, [], `header fields that the ${what} does not declare`);
          for (const [type, media] of Object.entries(content as Readonly<Record<string, Tree>>)) {
            assert.ok(media['examples'] ?? media['example'], `an example of ${type} in the ${what}`);
          }
        }
      }
    }
  });
}

test('patterns use only the syntax that all dialects of regular expressions share', async () => {
  await using service = await startTestService();
  const { text } = await service.client.send('GET', '/openapi.json');
  const patterns = [...text.matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)].map(
    ([, pattern]) => JSON.parse(pattern ?? '') as string,
  );
  assert.ok(patterns.length > 4, 'there are patterns');
  for (const pattern of patterns) {
    // Some generators put a pattern into a string. A quote outside of brackets would end that string.
    assert.doesNotMatch(pattern.replaceAll('["]', ''), /\\[utp]|"/, pattern);
    // With the flag u a pattern matches code points, without it UTF-16 units.
    for (const flags of ['u', '']) assert.ok(new RegExp(pattern, flags));
  }
  const { pattern } = JSON.parse(text).components.schemas.PlantName;
  for (const flags of ['u', '']) {
    const engine = new RegExp(pattern, flags);
    for (const name of ['', 'Aloë', '🌵', 'a\n🌵', '\uFFFF']) assert.match(name, engine);
    for (const name of ['\0', 'a\0', '🌵\0', '\n\0']) assert.doesNotMatch(name, engine);
  }
});

test('no property has a description beside its reference, since some generators fail on it or lose it', async () => {
  await using service = await startTestService();
  const { schemas } = JSON.parse((await service.client.send('GET', '/openapi.json')).text).components;
  for (const schema of Object.values<{ properties?: object }>(schemas)) {
    for (const property of Object.values(schema.properties ?? {})) {
      if ('$ref' in property) assert.deepEqual(Object.keys(property), ['$ref']);
    }
  }
});

test('only NewPlant has the name of a constructor that a generator for Go makes for another schema', () => {
  const clashes = DESCRIPTIONS.flatMap(({ path }) => {
    const { components } = parse(readFileSync(path, 'utf8'));
    const names = Object.keys(components.schemas);
    return names.filter((name) => names.includes(`New${name}`)).map((name) => `New${name}`);
  });
  assert.deepEqual(clashes, ['NewPlant']);
});
