import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure } from '../../../src/errors.ts';
import { openForCommand } from '../../../src/stores/open.ts';
import { createSchema, execute, sharedPostgres } from '../../harness/postgres.ts';
import { refusedWith, runHere } from '../../harness/process.ts';
import { BOUND, openOn } from './server.ts';

/** Opens a schema with the tables and a number of plants. */
async function stocked(plants: number) {
  const place = await openOn(sharedPostgres(), { timeout: 5 * BOUND });
  const made = Array.from({ length: plants }, (_, id) => ({ id: BigInt(id), name: `${id}` }));
  await place.plants.createMany('default', made);
  return place;
}

/** Ends the connections with this application name. */
async function cut(url: string, name: string): Promise<void> {
  await execute(
    url,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE '${name}%'`,
  );
}

test('an export closes its connection when its reader stops early', async () => {
  await using place = await stocked(5_000);
  const engine = await openForCommand(place.url, 'read', false);
  for await (const plants of engine.plants.readAll('default')) {
    assert.equal(plants.length, 2_000);
    break;
  }
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND query LIKE '%id > $2%'";
  assert.deepEqual(await execute(place.url, waiting), []);
  await engine.close();
});

for (const setting of ['idle_in_transaction_session_timeout', 'transaction_timeout']) {
  test(`an export to a slow reader is complete even if ${setting} is set`, async () => {
    await using place = await stocked(5_000);
    const engine = await openForCommand(`${place.url}${encodeURIComponent(` -c ${setting}=100ms`)}`, 'read', false);
    let seen = 0;
    for await (const plants of engine.plants.readAll('default')) {
      await sleep(200);
      seen += plants.length;
    }
    assert.equal(seen, 5_000);
    await engine.close();
  });
}

test('an export whose connection is cut fails as unreachable and does not seem complete', async () => {
  await using place = await stocked(7_000);
  const url = `${place.url}&application_name=${place.name}`;
  const engine = await openForCommand(url, 'read', false);
  let seen = 0;
  const read = async () => {
    for await (const plants of engine.plants.readAll('default')) {
      if (seen === 0) await cut(place.url, place.name);
      seen += plants.length;
    }
  };
  await assert.rejects(read, (error) => error instanceof StoreFailure && error.reason === 'unreachable');
  assert.ok(seen < 7_000);
  await engine.close();
});

test('an import continues after its connection is cut between two statements', async () => {
  await using place = await stocked(0);
  const engine = await openForCommand(`${place.url}&application_name=${place.name}`, 'plants', true);
  for (const id of [1n, 2n]) {
    assert.deepEqual(await engine.plants.createMany('default', [{ id, name: 'Aloe' }]), ['created']);
    await cut(place.url, place.name);
  }
  await engine.close();
});

test('backup is refused in one line that names the tools of PostgreSQL', async () => {
  await using place = await stocked(0);
  const refused = await runHere(['backup', '/nonexistent/copy', '--database', place.url]);
  assert.equal(refused.code, 2);
  assert.equal(
    refused.stderr,
    'plantstore: backup copies only SQLite files; for PostgreSQL use pg_dump or pg_basebackup\n',
  );
});

test('check reports what it does not check, and finds rows that the service would never have stored', async () => {
  await using place = await stocked(6);
  await place.plants.replace('default', { id: 3n, name: 'Zwölf 🌱', tag: 'succulent 🌵' }, undefined);
  const longest = '🌱'.repeat(1_024);
  await place.plants.replace('default', { id: 4n, name: longest, tag: longest }, undefined);
  const sound = await runHere(['check', '--database', place.url]);
  assert.deepEqual([sound.code, sound.stderr], [0, '']);
  assert.match(
    sound.stdout,
    /^No problems found: 6 plants, 0 tokens in .*\.\nNot checked: its pages and indexes, which pg_amcheck checks\n$/,
  );
  await execute(place.url, "UPDATE plants SET name = repeat('x', 1025) WHERE id = 0");
  await execute(place.url, 'UPDATE plants SET version = 0 WHERE id = 1');
  await execute(place.url, "UPDATE plants SET tag = 'by hand' WHERE id = 2");
  await execute(place.url, "UPDATE plants SET tag = repeat('x', 1025) WHERE id = 5");
  await execute(
    place.url,
    `INSERT INTO tokens VALUES
      (repeat('a', 43), 'sound', 'default', 'plants:read', 1),
       (repeat('a', 42), 'cut off', 'default', 'plants:read', 1),
      (repeat('b', 43), 'without scopes', 'default', '', 1), (repeat('c', 43), 'of no store', '', 'plants:read', 1)`,
  );
  await execute(place.url, "UPDATE plantstore_meta SET value = 'cut off' WHERE key = 'cursor-key'");
  const damaged = await runHere(['check', '--database', place.url]);
  assert.equal(damaged.code, 1);
  assert.deepEqual(damaged.stderr.split('\n'), [
    'plant 0 of store default: its name is not valid',
    'plant 5 of store default: its tag is not valid',
    'plant 1 of store default: its version is not above 0',
    'plant 2 of store default: its tag digest is wrong',
    'plant 5 of store default: its tag digest is wrong',
    'token cut off: it is not a valid token record',
    'token without scopes: it is not a valid token record',
    'token of no store: it is not a valid token record',
    'the cursor key: it is missing',
    '',
  ]);
  await execute(place.url, 'ALTER TABLE plants RENAME TO elsewhere');
  const failed = await runHere(['check', '--database', place.url]);
  assert.deepEqual([failed.code, failed.stdout], [1, '']);
  assert.match(failed.stderr, /^plantstore: .*its tables are gone.*; the check is incomplete\n$/);
});

test('commands on a schema without tables create none and end with one line', async () => {
  await using schema = await createSchema(sharedPostgres());
  const refused = async () => {
    for (const command of [['export'], ['check'], ['token', 'list'], ['token', 'create'], ['token', 'revoke', 'ci']]) {
      const finished = await runHere([...command, '--database', schema.url]);
      refusedWith(finished, 1, /: cannot use PostgreSQL at \S+: it holds no tables of this version .*\n$/);
    }
  };
  await refused();
  const tables = await execute(schema.url, `SELECT 1 FROM pg_tables WHERE schemaname = '${schema.name}'`);
  assert.deepEqual(tables, []);
  // An interrupted first start leaves this state.
  await execute(schema.url, 'CREATE TABLE plantstore_meta (key text PRIMARY KEY, value text NOT NULL)');
  await refused();
});
