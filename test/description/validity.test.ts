import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { startTestService } from '../harness/service.ts';

test('what is served, as JSON and as YAML, is valid by the schema that the OpenAPI Initiative publishes for 3.1', async () => {
  await using service = await startTestService({ baseUrl: 'https://plants.example/store' });
  for (const target of ['/openapi.json', '/openapi.yaml']) {
    const { text } = await service.client.send('GET', target);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(text);
    assert.equal(valid, true, JSON.stringify(errors));
    assert.equal(validator.version, '3.1');
  }
});

test('the server variable has no description: the first schema of 3.1, by which many tools still check, misspells that', async () => {
  await using service = await startTestService();
  const { text } = await service.client.send('GET', '/openapi.json');
  assert.deepEqual(JSON.parse(text).servers[0].variables, { base_url: { default: '.' } });
});

test('an Error has no example of its own: Prism and Stoplight Elements show that first at every status, whatever is there', async () => {
  await using service = await startTestService();
  const { text } = await service.client.send('GET', '/openapi.json');
  assert.equal(JSON.parse(text).components.schemas.Error.examples, undefined);
});

test('the pattern of texts means the same to engines that read code points and to those that read UTF-16', async () => {
  await using service = await startTestService();
  const { text: description } = await service.client.send('GET', '/openapi.json');
  const { pattern } = JSON.parse(description).components.schemas.Text;
  const engines = [new RegExp(pattern, 'u'), new RegExp(pattern)];
  for (const text of ['', 'Aloë', '🌵', 'a🌵🌵b', '\uFFFF', '\u{10FFFF}']) {
    for (const engine of engines) assert.match(text, engine);
  }
  for (const text of ['\0', 'a\0', '🌵\0', '\uD83C', 'a\uDF35', '\uDF35\uD83C', '🌵\uD83C', '\uD83C🌵']) {
    for (const engine of engines) assert.doesNotMatch(text, engine);
  }
});
