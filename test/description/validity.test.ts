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

test('the check does find what is wrong', async () => {
  const { valid } = await new Validator().validate({ openapi: '3.1.0', info: { title: 'no version' }, paths: {} });
  assert.equal(valid, false);
});
