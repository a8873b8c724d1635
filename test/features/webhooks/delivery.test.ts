/** Webhooks deliver each event, signed and in order, and try again until the receiver has it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashToken } from '../../../src/auth/token.ts';
import { waitUntil } from '../sandbox/sandbox.ts';
import { HANG_UP, startReceiver, verify } from './receiver.ts';
import { makePlants, makeWebhook, QUICK, readWebhook, startWebhooks } from './webhooks.ts';

const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const namesIn = (received: readonly { body: string }[]) =>
  received.map(({ body }) => (JSON.parse(body) as { data: { id: number } }).data.id);

describe('a webhook', () => {
  test('sends each change, in order, as the feed has it, with a signature that the library accepts', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver();
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, ids(20));
    await client.send('PUT', '/plants/3', { body: { name: 'Fern', tag: 'shade' } });
    await client.send('DELETE', '/plants/4');
    const received = await receiver.has(22);
    for (const message of received) verify(message, webhook.secret);
    const events = (await client.send('GET', '/events?limit=100')).json() as readonly { id: string }[];
    assert.deepEqual(
      received.map(({ body }) => JSON.parse(body)),
      events,
    );
    assert.deepEqual(
      received.map(({ id }) => id),
      events.map(({ id }) => id),
    );
    await waitUntil(async () => (await readWebhook(client, webhook)).behind === 0);
    const { attempts, state, cursor } = await readWebhook(client, webhook);
    assert.deepEqual([attempts.length, attempts[0]?.number, state, cursor], [22, 22, 'active', events.at(-1)?.id]);
  });

  test('sends only the types that it was asked for', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver();
    const { client } = service;
    await makeWebhook(client, { url: receiver.url, types: ['plant.deleted'] });
    await makePlants(client, [1, 2]);
    await client.send('DELETE', '/plants/1');
    await client.send('DELETE', '/plants/2');
    assert.deepEqual(
      (await receiver.has(2)).map(({ type }) => type),
      ['plant.deleted', 'plant.deleted'],
    );
  });

  test('sends a message again with the same id until it arrives, and then the next one', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver((_, place) => ([HANG_UP, 500, 302, 404] as const)[place - 1] ?? 204);
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await receiver.has(5);
    await makePlants(client, [2]);
    const received = await receiver.has(6);
    assert.equal(new Set(received.slice(0, 5).map(({ id }) => id)).size, 1);
    assert.deepEqual(namesIn(received), [1, 1, 1, 1, 1, 2]);
    await waitUntil(async () => (await readWebhook(client, webhook)).attempts.length === 6);
    const { attempts } = await readWebhook(client, webhook);
    assert.deepEqual(attempts.map(({ status }) => status).reverse(), [undefined, 500, 302, 404, 204, 204]);
    assert.match(attempts.find(({ failure }) => failure)?.failure ?? '', /connection/);
  });

  test('waits as long as the receiver asks, and shows it', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver(() => ({ status: 503, headers: { 'Retry-After': '600' } }));
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await receiver.has(1);
    await waitUntil(async () => (await readWebhook(client, webhook)).state === 'waiting');
    const { nextAttemptAt = '', behind } = await readWebhook(client, webhook);
    const seconds = (Date.parse(nextAttemptAt) - Date.now()) / 1_000;
    assert.ok(seconds > 500 && seconds <= 600, nextAttemptAt);
    assert.equal(behind, 1);
  });

  test('is disabled by 410, and sends nothing more until it is changed', async () => {
    await using service = await startWebhooks();
    let status = 410;
    await using receiver = await startReceiver(() => status);
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1, 2]);
    await waitUntil(async () => (await readWebhook(client, webhook)).state === 'disabled');
    assert.match((await readWebhook(client, webhook)).reason ?? '', /410/);
    assert.equal(receiver.received.length, 1);
    status = 204;
    await client.send('PUT', `/webhooks/${webhook.id}`, { body: { url: receiver.url } });
    assert.deepEqual(namesIn(await receiver.has(3)), [1, 1, 2]);
  });

  test('is disabled after failing for too long', async () => {
    await using service = await startWebhooks({ webhookRetryFor: 100 });
    await using receiver = await startReceiver(() => 500);
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await waitUntil(async () => (await readWebhook(client, webhook)).state === 'disabled');
    assert.match((await readWebhook(client, webhook)).reason ?? '', /failed since/);
  });

  test('signs with both secrets after a rotation, and the old one alone no longer counts later', async () => {
    await using service = await startWebhooks({ webhookTimes: { ...QUICK, rotation: 400 } });
    await using receiver = await startReceiver();
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    const { secret } = (await client.send('POST', `/webhooks/${webhook.id}/secret`)).json() as { secret: string };
    assert.notEqual(secret, webhook.secret);
    await makePlants(client, [1]);
    const [first] = await receiver.has(1);
    assert.ok(first);
    verify(first, secret);
    verify(first, webhook.secret);
    await new Promise((resolve) => setTimeout(resolve, 450));
    await makePlants(client, [2]);
    const [, second] = await receiver.has(2);
    assert.ok(second);
    verify(second, secret);
    assert.throws(() => verify(second, webhook.secret));
  });

  test('goes back to a cursor, and sends the same ids again', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver();
    const { client } = service;
    await makePlants(client, ids(3));
    const webhook = await makeWebhook(client, { url: receiver.url });
    const moved = await client.send('PUT', `/webhooks/${webhook.id}/cursor`, { body: { after: 'oldest' } });
    assert.equal(moved.status, 204);
    assert.deepEqual(namesIn(await receiver.has(3)), [1, 2, 3]);
    const [first] = receiver.received;
    await client.send('PUT', `/webhooks/${webhook.id}/cursor`, { body: { after: first?.id } });
    assert.deepEqual(namesIn(await receiver.has(5)), [1, 2, 3, 2, 3]);
    assert.deepEqual(
      receiver.received.slice(3).map(({ id }) => id),
      receiver.received.slice(1, 3).map(({ id }) => id),
    );
  });

  test('sends one message about a gap if its events were removed, and then the rest', async () => {
    await using service = await startWebhooks();
    let isUp = false;
    await using receiver = await startReceiver(() => (isUp ? 204 : 500));
    const { client, engine } = service;
    await makeWebhook(client, { url: receiver.url });
    await makePlants(client, ids(5));
    await receiver.has(1);
    await engine.statements.write('DELETE FROM events WHERE number <= $1 RETURNING number', [3]);
    isUp = true;
    await waitUntil(async () => receiver.received.some(({ body }) => body.includes('"id":5')));
    const types = receiver.received.map(({ type }) => type);
    assert.deepEqual(types.slice(types.indexOf('events.gap')), ['events.gap', 'plant.created', 'plant.created']);
  });

  test('ends with the token that made it, and lives again with another', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver();
    const other = await service.as({});
    const webhook = await makeWebhook(other, { url: receiver.url });
    await service.engine.tokens.revoke(hashToken(other.token), Date.now());
    await service.running.refreshTokens();
    const { client } = service;
    await makePlants(client, [1]);
    await waitUntil(async () => (await readWebhook(client, webhook)).state === 'disabled');
    assert.match((await readWebhook(client, webhook)).reason ?? '', /token/);
    assert.equal(receiver.received.length, 0);
    await client.send('PUT', `/webhooks/${webhook.id}`, { body: { url: receiver.url } });
    assert.deepEqual(namesIn(await receiver.has(1)), [1]);
  });

  test('continues after a restart where it was', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver();
    await makeWebhook(service.client, { url: receiver.url });
    await makePlants(service.client, ids(3));
    await receiver.has(3);
    await service.restart();
    await makePlants(service.client, [4, 5]);
    assert.deepEqual(namesIn(await receiver.has(5)), [1, 2, 3, 4, 5]);
  });
});
