import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Operation } from '../../src/contract/operation.ts';
import { compileRouter, decode } from '../../src/contract/router.ts';

const operation = (id: string, method: string, path: string): Operation => ({
  id,
  method,
  path,
  scopes: undefined,
  parameters: [],
  body: undefined,
  responses: new Map(),
});

const match = compileRouter([
  operation('list', 'GET', '/plants'),
  operation('create', 'POST', '/plants'),
  operation('get', 'GET', '/plants/{id}'),
  operation('leaves', 'PUT', '/plants/{id}/leaves/{leaf}'),
  operation('newest', 'DELETE', '/plants/newest'),
]);

describe('finding an operation', () => {
  test('the path comes first, then the method', () => {
    const found = match('/plants');
    assert.deepEqual([...(found?.route.operations.keys() ?? [])], ['GET', 'POST']);
    assert.equal(found?.route.allow, 'GET, HEAD, OPTIONS, POST');
    assert.equal(match('/plants/1/leaves/2')?.route.allow, 'OPTIONS, PUT');
  });

  test('a path without parameters comes before one with them (OpenAPI 3.1, 4.8.8)', () => {
    assert.equal(match('/plants/newest')?.route.allow, 'DELETE, OPTIONS');
  });

  test('parameters are taken from their segments and percent-decoded', () => {
    assert.deepEqual(match('/plants/a%20b')?.parameters, { id: 'a b' });
    assert.deepEqual(match('/plants/1/leaves/x%2Fy')?.parameters, { id: '1', leaf: 'x/y' });
  });

  test('a segment that is not percent-encoded UTF-8 is found, its parameter undefined', () => {
    assert.deepEqual(match('/plants/%zz')?.parameters, { id: undefined });
    assert.deepEqual(match('/plants/%ff')?.parameters, { id: undefined });
  });

  test('an empty, a missing or a further segment is another path', () => {
    for (const path of ['/plants/', '/', '', '/plants/1/', '/plants//leaves/2', '/plants/1/2', '/Plants']) {
      assert.equal(match(path), undefined, path);
    }
  });

  test('decoding refuses what is broken', () => {
    assert.deepEqual([decode('a'), decode('%61'), decode('%'), decode('%c3')], ['a', 'a', undefined, undefined]);
  });
});
