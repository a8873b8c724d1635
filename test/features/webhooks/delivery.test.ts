/** Webhooks deliver each event, signed and in order, and try again until the receiver has it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashToken, issueToken } from '../../../src/auth/token.ts';
import { CHANGES, webhookRecords } from '../../../src/features/events/webhooks/records.ts';
import { AUDIENCE, startIssuer } from '../../auth/issuer.ts';
import { errorOf } from '../../harness/client.ts';
import { startTestService, type TestOptions } from '../../harness/service.ts';
import { enterSandbox, waitUntil } from '../sandbox/sandbox.ts';
import { HANG_UP, namesIn, startReceiver, verify } from './receiver.ts';
import { type Made, makePlants, makeWebhook, QUICK, readWebhook, startWebhooks } from './webhooks.ts';

const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

const LASTING = { createdAt: 0, expiresAt: undefined };

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
    await waitUntil(async () => (await readWebhook(client, webhook)).attempts.length === 22);
    const { attempts, state, cursor, behind } = await readWebhook(client, webhook);
    assert.deepEqual([attempts[0]?.number, state, cursor, behind], [22, 'active', events.at(-1)?.id, 0]);
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

  test('is not disabled for the time in which the machine slept during an attempt', async () => {
    let passed = 0;
    await using service = await startWebhooks({ now: () => Date.now() + passed });
    const held = Promise.withResolvers<void>();
    await using receiver = await startReceiver(async (_, place) => {
      if (place === 2) await held.promise;
      return place <= 2 ? 500 : 204;
    });
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await receiver.has(2);
    passed = 2 * 86_400_000;
    held.resolve();
    let found = await readWebhook(client, webhook);
    await waitUntil(async () => {
      found = await readWebhook(client, webhook);
      return found.behind === 0 || found.state === 'disabled';
    });
    assert.deepEqual([found.state, found.reason], ['active', undefined]);
  });

  test('signs with both secrets after a rotation, and the old one no longer counts later', async () => {
    let passed = 0;
    await using service = await startWebhooks({ now: () => Date.now() + passed });
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
    passed = QUICK.rotation;
    await makePlants(client, [2]);
    const [, second] = await receiver.has(2);
    assert.equal(second?.headers['webhook-signature']?.toString().split(' ').length, 1);
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

  test('does not move to a cursor whose events were removed, or that is newer than every event', async () => {
    await using service = await startWebhooks();
    const { client, engine } = service;
    const webhook = await makeWebhook(client, {});
    await makePlants(client, ids(4));
    const events = (await client.send('GET', '/events')).json() as readonly { id: string }[];
    const move = (after: string | undefined) =>
      client.send('PUT', `/webhooks/${webhook.id}/cursor`, { body: { after } });
    await engine.statements.write('DELETE FROM events WHERE number <= $1 RETURNING number', [2]);
    assert.equal(errorOf(await move(events[0]?.id)), 41000);
    assert.equal((await move(events[1]?.id)).status, 204);
    await engine.statements.write('UPDATE event_counts SET last = $1 RETURNING last', [3]);
    await engine.statements.write('DELETE FROM events WHERE number > $1 RETURNING number', [3]);
    assert.equal(errorOf(await move(events[3]?.id)), 40006);
    for (const after of ['latest', 'oldest']) assert.equal((await move(after)).status, 204);
  });

  test('sends the same message about a gap until it arrives, and then the events that are kept', async () => {
    await using service = await startWebhooks();
    let gaps = 0;
    await using receiver = await startReceiver(({ type }) => {
      if (type === 'events.gap') gaps++;
      return gaps > 2 ? 204 : 500;
    });
    const { client, engine } = service;
    await makeWebhook(client, { url: receiver.url });
    await makePlants(client, ids(5));
    await receiver.has(1);
    await engine.statements.write('DELETE FROM events WHERE number <= $1 RETURNING number', [3]);
    await waitUntil(async () => receiver.received.some(({ body }) => body.includes('"id":5')));
    const types = receiver.received.map(({ type }) => type);
    const [gap, ...rest] = receiver.received.slice(types.indexOf('events.gap'));
    assert.deepEqual(
      rest.map(({ type }) => type),
      ['events.gap', 'events.gap', 'plant.created', 'plant.created'],
    );
    for (const again of rest.slice(0, 2)) assert.deepEqual([again.id, again.body], [gap?.id, gap?.body]);
  });

  test('sends another message about a gap that has grown, so a receiver that remembers ids lists again', async () => {
    await using service = await startWebhooks();
    const { client, engine } = service;
    let isBroken = true;
    await using receiver = await startReceiver(() => (isBroken ? HANG_UP : 204));
    const gaps = () => receiver.received.filter(({ type }) => type === 'events.gap').map(({ id }) => id);
    const removeUpTo = (last: number) =>
      engine.statements.write('DELETE FROM events WHERE number <= $1 RETURNING number', [last]);
    await makeWebhook(client, { url: receiver.url });
    await makePlants(client, ids(2));
    await removeUpTo(1);
    await waitUntil(async () => gaps().length > 0);
    // The receiver may have listed the plants before this one is created.
    await makePlants(client, [3, 4]);
    await removeUpTo(3);
    isBroken = false;
    await waitUntil(async () => receiver.received.some(({ body }) => body.includes('"id":4')));
    assert.notEqual(gaps().at(-1), gaps()[0]);
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

  test('ends with the JWT that made it, also if its exp has a fraction or is far in the future', async () => {
    let passed = 0;
    await using issuer = await startIssuer();
    const jwt = { jwtIssuer: issuer.url, jwtAudience: AUDIENCE };
    await using service = await startWebhooks({ ...jwt, now: () => Date.now() + passed });
    const { client } = service;
    const soon = Date.now() / 1_000 + 60.000_123_4;
    const made: Made[] = [];
    for (const exp of [soon, 1e300]) {
      const token = await issuer.sign({ exp, scope: 'plants:read webhooks' });
      const response = await client.send('POST', '/webhooks', { token, body: {} });
      assert.equal(response.status, 201, response.text);
      made.push(response.json() as Made);
    }
    passed = 61_000;
    await makePlants(client, [1]);
    const [first, second] = made;
    assert.ok(first && second);
    await waitUntil(async () => (await readWebhook(client, first)).state === 'disabled');
    await waitUntil(async () => (await readWebhook(client, second)).behind === 0);
  });

  test('does not send a message again after its token was revoked', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver(() => 500);
    const other = await service.as({});
    const webhook = await makeWebhook(other, { url: receiver.url });
    await makePlants(service.client, [1]);
    await receiver.has(2);
    await service.engine.tokens.revoke(hashToken(other.token), Date.now());
    await service.running.refreshTokens();
    await waitUntil(async () => (await readWebhook(service.client, webhook)).state === 'disabled');
    assert.match((await readWebhook(service.client, webhook)).reason ?? '', /token/);
  });

  test('a change during an attempt ends the attempt, and the next message arrives', async () => {
    await using service = await startWebhooks();
    await using slow = await startReceiver(() => new Promise(() => {}));
    await using receiver = await startReceiver();
    const { client } = service;
    const webhook = await makeWebhook(client, { url: slow.url });
    await makePlants(client, [1]);
    await slow.has(1);
    await client.send('PUT', `/webhooks/${webhook.id}`, { body: { url: receiver.url } });
    assert.deepEqual(namesIn(await receiver.has(1)), [1]);
    await client.send('POST', `/webhooks/${webhook.id}/secret`);
    await makePlants(client, [2, 3]);
    await waitUntil(async () => (await readWebhook(client, webhook)).behind === 0);
    assert.deepEqual([...new Set(namesIn(receiver.received))], [1, 2, 3]);
  });

  test('a change during an attempt that succeeds does not end the deliveries', async () => {
    await using service = await startWebhooks();
    let answer = (_status: number) => {};
    const held = new Promise<number>((resolve) => (answer = resolve));
    await using receiver = await startReceiver(() => held);
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await receiver.has(1);
    await client.send('POST', `/webhooks/${webhook.id}/secret`);
    // When a later change applies, the rotation applies too.
    const inbox = await makeWebhook(client, {});
    await client.send('PUT', `/webhooks/${inbox.id}/cursor`, { body: { after: 'oldest' } });
    await waitUntil(async () => (await readWebhook(client, inbox)).attempts.length > 0);
    answer(204);
    await makePlants(client, [2]);
    await waitUntil(async () => (await readWebhook(client, webhook)).behind === 0);
    await makePlants(client, [3]);
    await waitUntil(async () => namesIn(receiver.received).includes(3));
  });

  test('a change wins over what an attempt finds out at the same time', async () => {
    await using service = await startWebhooks();
    let answer = (_status: number) => {};
    const held = new Promise<number>((resolve) => (answer = resolve));
    await using receiver = await startReceiver((_, place) => (place === 1 ? held : 204));
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await receiver.has(1);
    // As if its process was killed before it told the others.
    const records = webhookRecords(service.engine.statements);
    await records.rotate('default', webhook.id, Date.now() + 60_000);
    answer(410);
    const [, again] = await receiver.has(2);
    assert.equal(String(again?.headers['webhook-signature']).split(' ').length, 2);
    assert.equal((await readWebhook(client, webhook)).state, 'active');
  });

  test('signs a message when its turn comes, and not if the webhook was deleted before', async () => {
    await using service = await startWebhooks({ webhookConcurrency: 2 });
    let answer = (_status: number) => {};
    const held = new Promise<number>((resolve) => (answer = resolve));
    await using busy = await startReceiver(() => held);
    await using receiver = await startReceiver();
    const { client } = service;
    await makeWebhook(client, { url: busy.url });
    await makePlants(client, [1]);
    await busy.has(1);
    const [gone] = [await makeWebhook(client, { url: receiver.url }), await makeWebhook(client, { url: receiver.url })];
    await makePlants(client, [2]);
    const seconds = Math.floor(Date.now() / 1_000) + 1;
    await waitUntil(async () => Math.floor(Date.now() / 1_000) > seconds);
    assert.equal((await client.send('DELETE', `/webhooks/${gone.id}`)).status, 204);
    // When a later change applies, the deletion applies too.
    const inbox = await makeWebhook(client, {});
    await client.send('PUT', `/webhooks/${inbox.id}/cursor`, { body: { after: 'oldest' } });
    await waitUntil(async () => (await readWebhook(client, inbox)).attempts.length > 0);
    answer(204);
    const [message] = await receiver.has(1);
    assert.ok(Number(message?.headers['webhook-timestamp']) >= seconds);
    await makePlants(client, [3]);
    await receiver.has(2);
    assert.deepEqual(namesIn(receiver.received), [2, 3]);
  });

  test('sends a test as the webhook is when its turn comes, and none if the webhook was deleted before', async () => {
    await using service = await startWebhooks({ webhookConcurrency: 2 });
    const held = Promise.withResolvers<number>();
    await using busy = await startReceiver(() => held.promise);
    await using former = await startReceiver();
    await using receiver = await startReceiver();
    const { client } = service;
    await makeWebhook(client, { url: busy.url, types: ['plant.created'] });
    const [changed, gone] = [
      await makeWebhook(client, { url: former.url }),
      await makeWebhook(client, { url: former.url }),
    ];
    await makePlants(client, [1]);
    await busy.has(1);
    const tests = [changed, gone].map(({ id }) => client.send('POST', `/webhooks/${id}/test`));
    const rotate = async () =>
      ((await client.send('POST', `/webhooks/${changed.id}/secret`)).json() as { secret: string }).secret;
    await rotate();
    const secret = await rotate();
    await client.send('PUT', `/webhooks/${changed.id}`, { body: { url: receiver.url } });
    await client.send('DELETE', `/webhooks/${gone.id}`);
    held.resolve(204);
    assert.deepEqual(
      (await Promise.all(tests)).map(({ status }) => status),
      [200, 404],
    );
    const [message] = receiver.received.filter(({ type }) => type === 'webhook.test');
    assert.ok(message);
    verify(message, secret);
    assert.deepEqual(
      former.received.filter(({ type }) => type === 'webhook.test'),
      [],
    );
  });

  test('reads its messages when its turn comes, so a webhook that waits holds none in memory', async () => {
    await using service = await startWebhooks({ webhookConcurrency: 2 });
    const held = Promise.withResolvers<number>();
    await using busy = await startReceiver(() => held.promise);
    await using receiver = await startReceiver();
    const { client, engine } = service;
    await makeWebhook(client, { url: busy.url });
    await makePlants(client, [1]);
    await busy.has(1);
    await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [2, 3]);
    // Long enough that it has its turn, if there is a free one.
    await new Promise((resolve) => setTimeout(resolve, 10 * QUICK.look));
    await engine.statements.write('DELETE FROM events WHERE number <= $1 RETURNING number', [2]);
    held.resolve(204);
    assert.deepEqual(
      (await receiver.has(2)).map(({ type }) => type),
      ['events.gap', 'plant.created'],
    );
  });

  test('delivers to an inbox while receivers that do not answer have all turns', async () => {
    await using service = await startWebhooks({ webhookConcurrency: 2 });
    await using busy = await startReceiver(() => new Promise(() => {}));
    const { client } = service;
    await makeWebhook(client, { url: busy.url });
    await makePlants(client, [1]);
    await busy.has(1);
    const inbox = await makeWebhook(client, {});
    await makePlants(client, [2]);
    await waitUntil(async () => (await readWebhook(client, inbox)).attempts.length > 0);
  });

  test('keeps a webhook whose token another process has just made', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver();
    const { client, engine } = service;
    const { id } = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await waitUntil(async () => (await readWebhook(client, { id })).behind === 0);
    // As if the process did not know the token yet.
    const { token, record } = issueToken({ name: 'new', store: 'default', scopes: ['webhooks'], ...LASTING });
    const records = webhookRecords(engine.statements);
    await records.change('default', id, { credential: hashToken(token) });
    await records.raise(CHANGES);
    await engine.tokens.add(record);
    await makePlants(client, [2]);
    assert.deepEqual(namesIn(await receiver.has(2)), [1, 2]);
    assert.equal((await readWebhook(client, { id })).state, 'active');
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

  test('of a sandbox waits while the service has no sandboxes, and continues afterwards', async () => {
    const options: TestOptions & { sandboxes?: number | undefined } = { sandboxes: 10, webhookTimes: QUICK };
    await using service = await startTestService(options);
    const sandbox = await enterSandbox(service);
    const webhook = await makeWebhook(sandbox, {});
    options.sandboxes = undefined;
    await service.restart();
    // A process waits this long for a token that another process may have just created.
    await sleep(2_500);
    options.sandboxes = 10;
    await service.restart();
    sandbox.close();
    assert.equal((await readWebhook(sandbox, webhook)).state, 'active');
    await makePlants(sandbox, [1]);
    const deliveries = async () => (await sandbox.send('GET', `/webhooks/${webhook.id}/deliveries`)).json();
    await waitUntil(async () => ((await deliveries()) as unknown[]).length === 1);
    sandbox.close();
  });

  test('does not send a message again if the receiver has answered 200 when the service stops', async () => {
    await using service = await startWebhooks();
    await using receiver = await startReceiver((_, place) => ({ status: 200, isEndless: place === 1 }));
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await receiver.has(1);
    // The service reads the start of the response before it responds to these requests.
    for (let i = 0; i < 5; i++) await readWebhook(client, webhook);
    await service.restart();
    await makePlants(client, [2]);
    assert.deepEqual(namesIn(await receiver.has(2)), [1, 2]);
    const { attempts } = await readWebhook(client, webhook);
    assert.deepEqual(attempts.at(-1)?.status, 200);
  });
});
