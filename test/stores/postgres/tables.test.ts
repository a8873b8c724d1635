/** Compares the tables that the service creates with the other places that name them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TABLES } from '../../../src/stores/postgres/migrations.ts';
import { createSchema, execute, sharedPostgres } from '../../harness/postgres.ts';
import { openOn } from './server.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The columns, indexes and constraints of the current schema, by name. */
const PARTS = `
  SELECT table_name || '.' || column_name AS name,
    concat_ws(' ', data_type, collation_name, 'nullable:', is_nullable, 'default:', column_default) AS definition
  FROM information_schema.columns WHERE table_schema = current_schema()
  UNION ALL SELECT indexname, replace(indexdef, current_schema() || '.', '')
  FROM pg_indexes WHERE schemaname = current_schema()
  UNION ALL SELECT conname, replace(pg_get_constraintdef(oid), current_schema() || '.', '')
  FROM pg_constraint WHERE connamespace = to_regnamespace(current_schema())
  ORDER BY name, definition`;

test('the documentation creates the columns, indexes and constraints that the service creates', async () => {
  await using created = await openOn(sharedPostgres());
  await using documented = await createSchema(sharedPostgres());
  const [sql = ''] = read('docs/postgres.md').match(/^CREATE TABLE plantstore_meta [^`]*/m) ?? [];
  await execute(documented.url, sql);
  assert.deepEqual(await execute(documented.url, PARTS), await execute(created.url, PARTS));
});

test('distribute.sql makes every table visible on the workers', () => {
  const distributed = read('deploy/citus/distribute.sql');
  for (const table of TABLES) assert.ok(distributed.includes(`'${table}'`), table);
});
