import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { startTestService } from '../harness/service.ts';

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
