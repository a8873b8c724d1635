/** What the metrics have while the store cannot be reached. The test stops its own PostgreSQL, so it runs once. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createLogger } from '../../src/observe/log.ts';
import { waitUntil } from '../features/sandbox/sandbox.ts';
import { startPostgres } from '../harness/postgres.ts';
import { startWith } from '../harness/service.ts';

test('while the store cannot be reached, the metrics lack only what the store counts', async () => {
  await using opened = new AsyncDisposableStack();
  const server = await startPostgres();
  opened.defer(() => server.remove());
  const options = { database: server.url, sandboxes: 5, admin: { host: '127.0.0.1', port: 0 } };
  const service = await startWith(options, createLogger('silent', new PassThrough()));
  opened.defer(() => service.close());
  const namesOf = async () => {
    const response = await fetch(`http://127.0.0.1:${service.admin?.port}/metrics`);
    assert.equal(response.status, 200);
    return [...new Set((await response.text()).match(/^plantstore_\w+/gm))];
  };
  const before = await namesOf();
  const live = 'plantstore_sandboxes_live';
  await server.stop('SIGQUIT');
  const meanwhile = await namesOf();
  assert.deepEqual([...meanwhile, live].toSorted(), before.toSorted());
  await server.start();
  await waitUntil(async () => (await namesOf()).includes(live));
});
