import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TABLES } from '../../../src/stores/postgres/migrations.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the documentation creates every table, and distribute.sql makes every table visible on the workers', () => {
  const documented = read('docs/postgres.md').matchAll(/^CREATE TABLE (\w+) /gm);
  assert.deepEqual(
    Array.from(documented, ([, name]) => name),
    TABLES,
  );
  const distributed = read('deploy/citus/distribute.sql');
  for (const table of TABLES) assert.ok(distributed.includes(`'${table}'`), table);
});
