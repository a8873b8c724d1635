/** The rendition in OpenAPI 3.0.3 has the meaning of the description, expressed in OpenAPI 3.0. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { toOpenApi30 } from '../../scripts/contract/openapi-3.0.ts';

test('the rendition leaves out what 3.1 added, and keeps one example of each schema and parameter', () => {
  const tag = { type: 'string', examples: ['fern', 'rose'], $comment: 'free text' };
  const rendition = toOpenApi30({
    openapi: '3.1.0',
    info: { title: 'T', summary: 'S', license: { name: 'MIT License', identifier: 'MIT' } },
    security: [{ bearerAuth: ['plants:read'] }],
    paths: {
      '/tags': { get: { summary: 'kept', parameters: [{ $ref: '#/components/parameters/Tag', summary: 'lost' }] } },
    },
    components: {
      pathItems: {},
      parameters: {
        Tag: { name: 'tag', in: 'query', schema: tag, examples: { Fern: { value: { $ref: 'data', examples: [1] } } } },
      },
      schemas: { Tag: tag, Tags: { type: 'array', items: { $ref: '#/components/schemas/Tag' } } },
    },
  });
  const same = { type: 'string', example: 'fern' };
  assert.deepEqual(rendition, {
    openapi: '3.0.3',
    info: { title: 'T', license: { name: 'MIT License' } },
    security: [{ bearerAuth: [] }],
    paths: { '/tags': { get: { summary: 'kept', parameters: [{ $ref: '#/components/parameters/Tag' }] } } },
    components: {
      parameters: {
        Tag: { name: 'tag', in: 'query', schema: same, example: { $ref: 'data', examples: [1] } },
      },
      schemas: { Tag: same, Tags: { type: 'array', items: { $ref: '#/components/schemas/Tag' } } },
    },
  });
});

test('the rendition has every operation, response and bound of the description', () => {
  const read = (path: string) =>
    parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), { intAsBigInt: true });
  const [description, rendition] = [read('contract/openapi.yaml'), read('src/contract/openapi.served-3.0.json')];
  assert.deepEqual(Object.keys(rendition.paths), Object.keys(description.paths));
  for (const [path, item] of Object.entries<object>(description.paths)) {
    assert.deepEqual(Object.keys(rendition.paths[path]), Object.keys(item));
  }
  assert.deepEqual(rendition.components.responses, description.components.responses);
  const { minimum, maximum } = rendition.components.schemas.PlantId;
  assert.deepEqual([minimum, maximum], [-(2n ** 63n), 2n ** 63n - 1n]);
});
