/** A database of an earlier version: its sandboxes, rules, snapshots and tokens continue to work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, errorOf } from '../../harness/client.ts';
import { startTestService } from '../../harness/service.ts';
import { makeSandbox, QUICK } from './sandbox.ts';

const ALOE = { id: 12, name: 'Aloe vera', tag: 'succulent' };
const VERSION: Readonly<Record<string, string>> = {
  sqlite: 'PRAGMA user_version = 2',
  postgres: "UPDATE plantstore_meta SET value = '2' WHERE key = 'schema-version'",
};

test('the tables of an earlier version get their new columns, and everything in them continues to work', async (t) => {
  const version = VERSION[process.env['TEST_ENGINE'] ?? 'sqlite'];
  if (version === undefined) return t.skip('not on this engine');
  await using service = await startTestService({ sandboxes: 10, sandboxTimes: QUICK });
  const { client } = service;
  const made = await makeSandbox(client);
  const sandbox = createClient(client.url, made.token);
  await sandbox.send('POST', '/plants', { body: ALOE });
  await sandbox.send('POST', '/sandbox/snapshots');
  const rules = [{ fault: { kind: 'status', status: 503 }, match: { operation: 'listPlants' } }];
  await sandbox.send('PUT', '/sandbox/faults', { body: rules });
  const { expiresAt } = (await sandbox.send('GET', '/sandbox')).json() as { expiresAt: string };
  const run = (sql: string) => service.engine.statements.write(sql, []);
  await run('ALTER TABLE sandboxes DROP COLUMN extends_to');
  await run('ALTER TABLE sandbox_stores DROP COLUMN bytes');
  for (const table of ['events', 'event_counts']) await run(`DROP TABLE ${table}`);
  await run(version);
  await service.restart();
  sandbox.close();
  assert.match(service.log(), /"from":2,"to":4,"msg":"the tables of the database were upgraded"/);

  assert.equal((await client.send('GET', '/plants')).status, 200);
  assert.deepEqual((await sandbox.send('GET', '/sandbox/faults')).json(), rules);
  assert.equal(errorOf(await sandbox.send('GET', '/plants')), 50300);
  assert.deepEqual((await sandbox.send('GET', '/plants/12')).json(), ALOE);
  assert.equal((await sandbox.send('DELETE', '/plants/12')).status, 204);
  assert.equal((await sandbox.send('POST', '/sandbox/snapshots')).status, 201);
  assert.equal((await sandbox.send('POST', '/sandbox/reset?snapshot=1')).status, 204);
  assert.deepEqual((await sandbox.send('GET', '/plants/12')).json(), ALOE);
  assert.equal(((await sandbox.send('GET', '/sandbox')).json() as { expiresAt: string }).expiresAt, expiresAt);
  assert.equal((await sandbox.send('DELETE', '/sandbox')).status, 204);
  assert.equal((await makeSandbox(client)).id.length, 12);
  sandbox.close();
});
