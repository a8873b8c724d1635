/** Several processes on one database: one of them delivers for a webhook, and another continues when it ends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generateToken } from '../../../src/auth/token.ts';
import type { OpenFeature } from '../../../src/feature.ts';
import { createHolder } from '../../../src/features/events/webhooks/holder.ts';
import { CHANGES, type WebhookRecords, webhookRecords } from '../../../src/features/events/webhooks/records.ts';
import { createLogger } from '../../../src/observe/log.ts';
import type { Service } from '../../../src/service.ts';
import { type Client, createClient } from '../../harness/client.ts';
import { createDatabase } from '../../harness/database.ts';
import { serveProcess } from '../../harness/process.ts';
import { startTestService, startWith, type TestOptions } from '../../harness/service.ts';
import { waitUntil } from '../sandbox/sandbox.ts';
import { namesIn, startReceiver, verify } from './receiver.ts';
import { makePlants, makeWebhook, QUICK, readWebhook } from './webhooks.ts';

const token = generateToken();
/** No process is ever silent for so long. */
const NEVER = { ...QUICK, silence: 3_600_000 };
const OPTIONS = { token, webhooks: true, webhookAllow: ['127.0.0.0/8'], webhookTimes: NEVER };

interface Replica extends AsyncDisposable {
  readonly service: Service;
  readonly client: Client;
  close(): Promise<void>;
}

async function startReplica(database: string, options: TestOptions = {}): Promise<Replica> {
  const log = createLogger('silent', process.stderr);
  const service = await startWith({ ...OPTIONS, database, ...options }, log);
  const client = createClient(service.url, options.token ?? token);
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    client.close();
    await service.close();
  };
  return { service, client, close, [Symbol.asyncDispose]: close };
}

describe('processes on one database', () => {
  test('a process that stops leaves its webhooks to another immediately', async () => {
    await using database = await createDatabase();
    await using receiver = await startReceiver();
    await using one = await startReplica(database.url);
    await using other = await startReplica(database.url);
    await makeWebhook(one.client, { url: receiver.url });
    await makePlants(other.client, [1, 2]);
    await receiver.has(2);
    await one.close();
    await makePlants(other.client, [3]);
    assert.deepEqual(namesIn(await receiver.has(3)), [1, 2, 3]);
  });

  test('does not disable a webhook for the time in which no process was running', async () => {
    await using database = await createDatabase();
    let failuresLeft = Number.POSITIVE_INFINITY;
    await using receiver = await startReceiver(() => (failuresLeft-- > 0 ? 500 : 204));
    await using before = await startReplica(database.url);
    const webhook = await makeWebhook(before.client, { url: receiver.url });
    await makePlants(before.client, [1]);
    await waitUntil(async () => (await readWebhook(before.client, webhook)).state === 'waiting');
    await before.close();
    failuresLeft = 1;
    const twoDays = 2 * 86_400_000;
    await using after = await startReplica(database.url, { now: () => Date.now() + twoDays });
    let found = await readWebhook(after.client, webhook);
    await waitUntil(async () => {
      found = await readWebhook(after.client, webhook);
      return found.behind === 0 || found.state === 'disabled';
    });
    assert.deepEqual([found.state, found.reason], ['active', undefined]);
  });

  test('a webhook of PLANTSTORE_TOKEN ends when the service starts with another one', async () => {
    await using database = await createDatabase();
    await using receiver = await startReceiver();
    await using before = await startReplica(database.url);
    const webhook = await makeWebhook(before.client, { url: receiver.url });
    await before.close();
    await using after = await startReplica(database.url, { token: generateToken() });
    await makePlants(after.client, [1]);
    await waitUntil(async () => (await readWebhook(after.client, webhook)).state === 'disabled');
    assert.match((await readWebhook(after.client, webhook)).reason ?? '', /token/);
    assert.equal(receiver.received.length, 0);
  });

  test('a webhook sends nothing to a network that --webhook-allow no longer contains', async () => {
    await using database = await createDatabase();
    await using receiver = await startReceiver();
    await using before = await startReplica(database.url);
    const webhook = await makeWebhook(before.client, { url: receiver.url });
    await before.close();
    await using after = await startReplica(database.url, { webhookAllow: ['127.0.0.2'] });
    await makePlants(after.client, [1]);
    await waitUntil(async () => (await readWebhook(after.client, webhook)).attempts.length > 0);
    const [attempt] = (await readWebhook(after.client, webhook)).attempts;
    assert.equal(attempt?.failure, 'the URL is refused: its host 127.0.0.1 is not in a network of --webhook-allow');
    assert.equal(receiver.received.length, 0);
  });

  test('a change through any process applies in the process that delivers', async () => {
    await using database = await createDatabase();
    await using receiver = await startReceiver();
    await using second = await startReceiver();
    await using one = await startReplica(database.url);
    await using other = await startReplica(database.url);
    const { client } = other;
    const webhook = await makeWebhook(one.client, { url: receiver.url });
    const gone = await makeWebhook(one.client, { url: receiver.url, types: ['plant.deleted'] });
    await makePlants(client, [1]);
    await receiver.has(1);

    const moved = await client.send('PUT', `/webhooks/${webhook.id}/cursor`, { body: { after: 'oldest' } });
    assert.equal(moved.status, 204);
    assert.deepEqual(namesIn(await receiver.has(2)), [1, 1]);

    const { secret } = (await client.send('POST', `/webhooks/${webhook.id}/secret`)).json() as { secret: string };
    assert.equal((await client.send('DELETE', `/webhooks/${gone.id}`)).status, 204);
    await client.send('PUT', `/webhooks/${webhook.id}`, { body: { url: second.url } });
    // Until the process has noticed the last change, the messages go to the first receiver.
    for (let id = 2; second.received.length === 0; id++) await makePlants(client, [id]);
    verify(second.received[0] as never, secret);
    verify(second.received[0] as never, webhook.secret);
    const before = receiver.received.length;
    await client.send('DELETE', '/plants/1');
    await waitUntil(async () => second.received.some(({ type }) => type === 'plant.deleted'));
    assert.equal(receiver.received.length, before);
  });

  test('a process takes many webhooks one after another, and other work comes between them', async () => {
    let [starts, together, most] = [0, 0, 0];
    const countStarts: OpenFeature = () => ({
      isValid: (own) => async (id) => {
        starts++;
        most = Math.max(most, ++together);
        return own(id);
      },
    });
    await using service = await startTestService({ webhooks: true, webhookTimes: NEVER, features: [countStarts] });
    await makeWebhook(service.client, {});
    const records = webhookRecords(service.engine.statements);
    const [webhook] = await records.list('default');
    assert.ok(webhook);
    const nextTurn = () => {
      together = 0;
      counting = setImmediate(nextTurn);
    };
    let counting = setImmediate(nextTurn);
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => records.add({ ...webhook, store: `store-${i}`, id: `${i}` })),
    );
    await records.raise(CHANGES);
    await waitUntil(async () => starts >= 301);
    clearImmediate(counting);
    assert.ok(most < 20, `${most} in one turn of the event loop`);
  });

  test('a process that was paused does not move the webhook back, and no message overtakes another', async () => {
    await using database = await createDatabase();
    let reply = (_status: number) => {};
    const held = new Promise<number>((resolve) => (reply = resolve));
    await using receiver = await startReceiver((_, place) => (place === 4 ? held : 204));
    const args = ['--database', database.url, '--log-level', 'fatal', '--webhooks', '--webhook-allow', '127.0.0.0/8'];
    const program = [process.execPath, fileURLToPath(new URL('quick-process.ts', import.meta.url))] as const;
    const start = () => serveProcess(args, { PLANTSTORE_TOKEN: token }, { command: [...program] });
    await using paused = await start();
    await using other = await start();
    const [first, client] = [paused, other].map(({ url }) => createClient(url, token)) as [Client, Client];
    const webhook = await makeWebhook(first, { url: receiver.url });
    await makePlants(client, [1, 2, 3, 4]);
    await receiver.has(4);
    // The process may hold the lock of an SQLite file when it is paused.
    for (let status = 0; status !== 200; ) {
      paused.child.kill('SIGSTOP');
      const response = await client.send('PUT', '/plants/1', { body: { name: 'plant 1' } });
      ({ status } = response);
      if (status !== 200) paused.child.kill('SIGCONT');
    }
    await makePlants(client, [5, 6]);
    await waitUntil(async () => receiver.received.some(({ body }) => body.includes('"id":6')));
    paused.child.kill('SIGCONT');
    reply(204);
    await makePlants(client, [7]);
    await waitUntil(async () => receiver.received.some(({ body }) => body.includes('"id":7')));
    await waitUntil(async () => (await readWebhook(client, webhook)).behind === 0);
    const sent = receiver.received.map(({ body }) => (JSON.parse(body) as { sequence: number }).sequence);
    assert.deepEqual(
      [...new Set(sent)],
      [...new Set(sent)].sort((a, b) => a - b),
    );
    // The process that was paused takes the webhook again, and sends only what is new.
    await other.stop('SIGKILL');
    const before = receiver.received.length;
    await makePlants(first, [8]);
    assert.deepEqual(namesIn((await receiver.has(before + 1)).slice(before)), [8]);
    for (const one of [first, client]) one.close();
  });
});

describe('a holder', () => {
  const QUIET = { beat: 3_600_000, silence: 0 };
  const webhook = {
    ...{ id: 'a', store: 'default', types: [], credential: 'none', period: '1', place: 0n, failures: 0 },
    ...{ generation: 1, previousUntil: 0, createdAt: 0, revision: 0 },
  };
  const idsOf = (found: readonly { id: string }[] | undefined) => found?.map(({ id }) => id);
  /** Two processes. The first one has the webhook. `change` changes what the second one does. */
  async function startTwo(records: WebhookRecords, change: (own: WebhookRecords) => WebhookRecords) {
    const holders = [createHolder(records, QUIET), createHolder(change(records), QUIET)] as const;
    await records.add(webhook);
    await records.raise(CHANGES);
    assert.deepEqual(idsOf(await holders[0].look(false)), ['a']);
    return holders;
  }

  test('takes the webhooks of a process that is silent, also if the store fails in the middle of it', async () => {
    await using service = await startTestService({ events: true });
    let isDown = false;
    const [, other] = await startTwo(webhookRecords(service.engine.statements), (own) => ({
      ...own,
      heldBy: (holder) => (isDown ? Promise.reject(new Error('the store is down')) : own.heldBy(holder)),
    }));
    assert.deepEqual(idsOf(await other.look(false)), []);
    isDown = true;
    await assert.rejects(other.look(false));
    isDown = false;
    assert.deepEqual(idsOf(await other.look(true)), ['a']);
  });

  test('reads only the webhook that its process has changed, unless another process has changed one too', async () => {
    await using service = await startTestService({ events: true });
    const records = webhookRecords(service.engine.statements);
    const holder = createHolder(records, QUIET);
    await records.add(webhook);
    await records.raise(CHANGES);
    assert.deepEqual(idsOf(await holder.look(false)), ['a']);
    const added = { ...webhook, id: 'b' };
    await records.add(added);
    holder.announced(await records.raise(CHANGES));
    assert.equal((await holder.lookAt(added))?.id, 'b');
    assert.equal(await holder.look(false), undefined);

    await records.change(webhook.store, 'a', { description: 'changed through another process' });
    await records.raise(CHANGES);
    await records.remove(webhook.store, 'b');
    holder.announced(await records.raise(CHANGES));
    assert.equal(await holder.lookAt(added), undefined);
    const [found, ...others] = (await holder.look(false)) ?? [];
    assert.deepEqual([found?.id, found?.description, others], ['a', 'changed through another process', []]);
  });

  test('finds many webhooks in pages, and lets other work come between the pages', async () => {
    await using service = await startTestService({ events: true });
    const records = webhookRecords(service.engine.statements);
    const ids = Array.from({ length: 450 }, (_, i) => `webhook-${1_000 + i}`);
    await Promise.all(ids.map((id, i) => records.add({ ...webhook, id, store: `store-${i % 3}` })));
    await records.take(null, 'me');
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const found = await records.heldBy('me');
    clearImmediate(counting);
    assert.deepEqual(idsOf(found)?.toSorted(), ids);
    assert.ok(turns >= 2, `${turns} turns of the event loop`);
  });

  test('does not take the webhooks of a process that could not reach the store either', async () => {
    await using service = await startTestService({ events: true });
    let isDown = false;
    const [, other] = await startTwo(webhookRecords(service.engine.statements), (own) => ({
      ...own,
      beats: () => (isDown ? Promise.reject(new Error('the store is down')) : own.beats()),
    }));
    assert.deepEqual(idsOf(await other.look(false)), []);
    isDown = true;
    await assert.rejects(other.look(false));
    isDown = false;
    assert.deepEqual(idsOf(await other.look(true)), []);
    // The other process stays silent.
    assert.deepEqual(idsOf(await other.look(true)), ['a']);
  });

  test('takes the webhooks of a process that another has forgotten', async () => {
    await using service = await startTestService({ events: true });
    const records = webhookRecords(service.engine.statements);
    const [one, other] = await startTwo(records, (own) => own);
    for (const [id] of await records.beats()) if (id !== CHANGES) await records.forget(id);
    await records.raise(CHANGES);
    assert.deepEqual(idsOf(await other.look(false)), ['a']);
    await records.raise(CHANGES);
    assert.deepEqual(idsOf(await one.look(false)), []);
  });
});
