/** The operations of webhooks: what a client can do with them, and what it cannot. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { webhookRecords } from '../../../src/features/events/webhooks/records.ts';
import { errorOf } from '../../harness/client.ts';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox, waitUntil } from '../sandbox/sandbox.ts';
import { makePlants, makeWebhook, QUICK, readWebhook, startWebhooks } from './webhooks.ts';

interface Delivery {
  readonly number: number;
  readonly type: string;
  readonly body: string;
  readonly verdict: string;
  readonly headers: readonly { name: string; value: string }[];
}

describe('the operations of webhooks', () => {
  test('an inbox shows what arrived, byte for byte, and that it is right', async () => {
    await using service = await startWebhooks();
    const { client } = service;
    const { id } = await makeWebhook(client, {});
    const inbox = async (query = '') =>
      (await client.send('GET', `/webhooks/${id}/deliveries${query}`)).json() as readonly Delivery[];
    await makePlants(client, [1, 2, 3]);
    await waitUntil(async () => (await inbox()).length === 3);
    const deliveries = await inbox();
    const events = (await client.send('GET', '/events')).json();
    assert.deepEqual(
      deliveries.map(({ body }) => JSON.parse(body)),
      events,
    );
    assert.deepEqual(
      deliveries.map(({ verdict }) => verdict),
      ['right', 'right', 'right'],
    );
    assert.deepEqual(
      deliveries[0]?.headers.map(({ name }) => name),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    );
    assert.deepEqual(
      (await inbox('?after=1&limit=1')).map(({ number }) => number),
      [2],
    );
    await client.send('PUT', `/webhooks/${id}`, { body: { url: 'http://127.0.0.1:9/' } });
    assert.deepEqual(await inbox(), []);
  });

  test('list, read and delete', async () => {
    await using service = await startWebhooks();
    const { client } = service;
    const one = await makeWebhook(client, { types: ['plant.created'], description: 'a note' });
    const two = await makeWebhook(client, {});
    const list = (await client.send('GET', '/webhooks')).json() as readonly { id: string; secret?: string }[];
    assert.deepEqual(
      list.map(({ id, secret }) => [id, secret]),
      [
        [one.id, undefined],
        [two.id, undefined],
      ],
    );
    assert.equal((await client.send('DELETE', `/webhooks/${one.id}`)).status, 204);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/secret'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
    ] as const) {
      assert.equal(errorOf(await client.send(method, `/webhooks/${one.id}${path}`)), 40403, `${method} ${path}`);
    }
    const stranger = await service.as({ store: 'other' });
    assert.equal(errorOf(await stranger.send('GET', `/webhooks/${two.id}`)), 40403);
    assert.deepEqual((await stranger.send('GET', '/webhooks')).json(), []);
  });

  test('a test message arrives with an id of its own and leaves the cursor', async () => {
    await using service = await startWebhooks();
    const { client } = service;
    const webhook = await makeWebhook(client, {});
    const attempt = (await client.send('POST', `/webhooks/${webhook.id}/test`)).json() as Record<string, unknown>;
    assert.deepEqual([attempt['number'], attempt['type'], attempt['status']], [1, 'webhook.test', 204]);
    assert.equal((await readWebhook(client, webhook)).cursor, webhook.cursor);
  });

  test('a webhook keeps its last 100 attempts, each with a number of its own, also if many end together', async () => {
    await using service = await startWebhooks();
    const { client, engine } = service;
    const { id } = await makeWebhook(client, {});
    const testIt = async () =>
      ((await client.send('POST', `/webhooks/${id}/test`)).json() as { number: number }).number;
    const from = (first: number, length: number) => Array.from({ length }, (_, i) => first + i);
    const numbers = await Promise.all(Array.from({ length: 109 }, testIt));
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      from(1, 109),
    );
    assert.equal(await testIt(), 110);
    const { attempts } = await readWebhook(client, { id });
    assert.deepEqual(attempts.map(({ number }) => number).reverse(), from(11, 100));
    const kept = await engine.statements.read('SELECT number FROM webhook_attempts');
    assert.ok(kept.length <= 101, `${kept.length} attempts`);
  });

  test('an inbox keeps about 400 KiB, and its last message', async () => {
    await using service = await startWebhooks();
    const { client, engine } = service;
    const webhook = { store: 'default', ...(await makeWebhook(client, {})) };
    const records = webhookRecords(engine.statements);
    const store = (bytes: number, count = 1) => {
      const arrived = { headers: [], body: 'x'.repeat(bytes), verdict: 'right' } as const;
      const attempt = { at: 1, message: 'a', type: 'webhook.test', status: 204, milliseconds: 1, arrived };
      return records.addAttempts(webhook, Array(count).fill(attempt));
    };
    for (let i = 0; i < 20; i++) await store(65_536);
    const kept = await records.attempts(webhook);
    assert.ok(kept.length >= 6 && kept.length <= 8, `${kept.length} messages`);
    assert.equal(kept.at(-1)?.number, 20);
    await store(500_000);
    assert.equal(await store(1), 22);
    assert.deepEqual(
      (await records.attempts(webhook)).map(({ number }) => number).filter((number) => number < 21),
      [],
    );
    // A webhook stores together what has arrived since its last save.
    for (const [bytes, count, last] of [
      [65_536, 100, 122],
      [40_000, 5, 128],
      [40_000, 9, 138],
    ] as const) {
      assert.equal(await store(bytes, count), last);
      // On PostgreSQL the service removes old attempts when it stores the next ones.
      await store(1);
      const stored = await engine.statements.read('SELECT sum(length(attempts)) FROM webhook_attempts');
      assert.ok(Number(stored[0]?.[0]) < 420_000, `${stored} bytes after ${count} messages`);
    }
    assert.deepEqual(
      (await records.attempts(webhook)).map(({ number }) => number).slice(-10),
      [130, 131, 132, 133, 134, 135, 136, 137, 138, 139],
    );
  });

  test('an inbox moves on only after its messages are stored, so a process that is killed loses none', async () => {
    await using service = await startWebhooks();
    const { read, write } = service.engine.statements;
    await makeWebhook(service.client, {});
    const [webhook] = await webhookRecords({ read, write }).list('default');
    assert.ok(webhook);
    const moves: string[] = [];
    const failing = webhookRecords({
      read,
      write(sql, values) {
        if (sql.startsWith('UPDATE webhooks')) moves.push(sql);
        return sql.startsWith('INSERT INTO webhook_attempts')
          ? Promise.reject(new Error('killed'))
          : write(sql, values);
      },
    });
    const attempt = { at: 1, message: 'a', type: 'plant.created', status: 204, milliseconds: 1 };
    await assert.rejects(failing.save(webhook, { ...webhook, place: 1n }, [attempt]), /killed/);
    assert.deepEqual(moves, []);
  });

  test('a store has at most so many webhooks, also if they are created at the same time', async () => {
    await using service = await startWebhooks({ webhooksPerStore: 3 });
    const { client } = service;
    for (let i = 0; i < 2; i++) await makeWebhook(client, {});
    const made = await Promise.all(Array.from({ length: 8 }, () => client.send('POST', '/webhooks', { body: {} })));
    for (const response of made) if (response.status !== 201) assert.equal(errorOf(response), 40031);
    assert.equal(((await client.send('GET', '/webhooks')).json() as unknown[]).length, 3);
    const other = await service.as({ store: 'other' });
    await makeWebhook(other, {});
  });

  test('a text that is too long is refused, and the message has the limit', async () => {
    await using service = await startWebhooks();
    for (const [terms, limit] of [
      [{ url: `https://receiver.example/${'a'.repeat(10_000)}` }, /^url .* up to 2,048 characters/],
      [{ description: 'a'.repeat(257) }, /^description .* up to 256 characters/],
    ] as const) {
      const refused = await service.client.send('POST', '/webhooks', { body: terms });
      assert.equal(errorOf(refused), 40005);
      assert.match((refused.json() as { message: string }).message, limit);
    }
  });

  test('a token needs the scope, and no webhook is made for an address that is not permitted', async () => {
    await using service = await startWebhooks({ webhookAllow: ['127.0.0.2'] });
    const { client } = service;
    const reader = await service.as({ scopes: ['plants:read', 'plants:write'] });
    assert.equal(errorOf(await reader.send('GET', '/webhooks')), 40300);
    for (const url of [
      'http://127.0.0.1/',
      'https://10.0.0.1/',
      'ftp://example.com/',
      'https://u:p@example.com/',
      'x',
    ]) {
      assert.equal(errorOf(await client.send('POST', '/webhooks', { body: { url } })), 40030, url);
    }
    assert.deepEqual((await client.send('GET', '/webhooks')).json(), []);
    assert.equal(errorOf(await client.send('POST', '/webhooks', { body: { types: ['plant.eaten'] } })), 40005);
  });

  test('a sandbox has webhooks too, only to inboxes, and they end with it', async () => {
    const times = { fresh: 20, sweep: 20, grace: 50 };
    await using service = await startTestService({ sandboxes: 10, webhookTimes: QUICK, sandboxTimes: times });
    const sandbox = await enterSandbox(service);
    const { id } = await makeWebhook(sandbox, {});
    await makePlants(sandbox, [1]);
    await waitUntil(
      async () => ((await sandbox.send('GET', `/webhooks/${id}/deliveries`)).json() as unknown[]).length === 1,
    );
    const refused = await sandbox.send('POST', '/webhooks', { body: { url: 'https://example.com/' } });
    assert.equal(errorOf(refused), 40030);
    assert.match(
      refused.text,
      /only to inboxes\. Leave url out .* a service of your own with --webhooks and --webhook-al/,
    );
    await sandbox.send('DELETE', '/sandbox');
    const rows = async () =>
      (await service.engine.statements.read('SELECT id FROM webhooks')).length +
      (await service.engine.statements.read('SELECT number FROM webhook_attempts')).length;
    await waitUntil(async () => (await rows()) === 0);
  });

  test('without --webhooks there are no paths', async () => {
    await using service = await startTestService({ events: true });
    assert.equal(errorOf(await service.client.send('GET', '/webhooks')), 40400);
    assert.equal(errorOf(await service.client.send('GET', '/webhooks/openapi.json')), 40400);
  });
});
