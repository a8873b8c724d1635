/** Two services with one database: a change made through one applies at the other within a second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../../src/observe/log.ts';
import { createClient, errorOf } from '../../harness/client.ts';
import { createDatabase } from '../../harness/database.ts';
import { startWith } from '../../harness/service.ts';
import { makeSandbox, QUICK, waitUntil } from './sandbox.ts';

test('two replicas share sandboxes, rules, resets, deletions and caps', async () => {
  await using database = await createDatabase();
  const start = () =>
    startWith(
      { database: database.url, sandboxes: 100, sandboxesPerAddress: 100, sandboxTimes: QUICK },
      createLogger('silent', process.stderr),
    );
  const services = [await start(), await start()] as const;
  try {
    const stranger = createClient(services[0].url, 'none');
    const { token } = await makeSandbox(stranger, { plants: 'garden' });
    const [one, other] = services.map(({ url }) => createClient(url, token));
    assert.ok(one && other);
    await one.send('POST', '/plants', { body: { id: 12, name: 'Aloe vera' } });
    assert.equal((await other.send('GET', '/plants/12')).status, 200);
    await one.send('PUT', '/sandbox/faults', { body: [{ fault: { kind: 'status', status: 503 }, match: { id: 12 } }] });
    await waitUntil(async () => (await other.send('GET', '/plants/12')).status === 503);
    await other.send('DELETE', '/sandbox/faults');
    await waitUntil(async () => (await one.send('GET', '/plants/12')).status === 200);
    await one.send('POST', '/sandbox/reset');
    await waitUntil(async () => (await other.send('GET', '/plants/12')).status === 404);
    await other.send('DELETE', '/sandbox');
    await waitUntil(async () => (await one.send('GET', '/plants')).status === 401);
    assert.ok([40101, 40102].includes(errorOf(await one.send('GET', '/plants'))));

    // Each replica counts the sandboxes of both, and removes its own if there are too many.
    const creates = Array.from({ length: 120 }, (_, i) => {
      const client = createClient(services[i % 2]?.url ?? '', 'none');
      return client.send('POST', '/sandboxes', { token: null, body: {} }).finally(() => client.close());
    });
    const made = (await Promise.all(creates)).filter(({ status }) => status === 201).length;
    assert.ok(made > 90 && made <= 100, String(made));
    for (const client of [stranger, one, other]) client.close();
  } finally {
    for (const service of services) await service.close();
  }
});
