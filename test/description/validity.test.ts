import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { startTestService } from '../harness/service.ts';

test('what is served is valid by the schema that the OpenAPI Initiative publishes for its version', async () => {
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

test('an Error has no example of its own: Prism and Stoplight Elements show that first at every status, whatever is there', async () => {
  await using service = await startTestService();
  const { text } = await service.client.send('GET', '/openapi.json');
  assert.equal(JSON.parse(text).components.schemas.Error.examples, undefined);
});

test('texts are patterned in the part of the syntax that all dialects of regular expressions share', async () => {
  await using service = await startTestService();
  const { text } = await service.client.send('GET', '/openapi.json');
  const patterns = [...text.matchAll(/"pattern": (".*")/g)].map(([, pattern]) => JSON.parse(pattern ?? '') as string);
  assert.ok(patterns.length > 4, 'there are patterns');
  for (const pattern of patterns) {
    // Outside of brackets a quote ends the text that some generators put a pattern into.
    assert.doesNotMatch(pattern.replaceAll('["]', ''), /\\[utp]|"/, pattern);
    // By code points and by UTF-16 units.
    for (const flags of ['u', '']) assert.ok(new RegExp(pattern, flags));
  }
  const { pattern } = JSON.parse(text).components.schemas.PlantName;
  for (const flags of ['u', '']) {
    const engine = new RegExp(pattern, flags);
    for (const name of ['', 'Aloë', '🌵', 'a\n🌵', '\uFFFF']) assert.match(name, engine);
    for (const name of ['\0', 'a\0', '🌵\0', '\n\0']) assert.doesNotMatch(name, engine);
  }
});

test('no property has a description beside its reference, which C++ does not compile and others lose', async () => {
  await using service = await startTestService();
  const { schemas } = JSON.parse((await service.client.send('GET', '/openapi.json')).text).components;
  for (const schema of Object.values<{ properties?: object }>(schemas)) {
    for (const property of Object.values(schema.properties ?? {})) {
      if ('$ref' in property) assert.deepEqual(Object.keys(property), ['$ref']);
    }
  }
});
