/** What clients must not achieve with webhooks, by mistake or on purpose. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { StoreFailure } from '../../../src/errors.ts';
import type { OpenFeature } from '../../../src/feature.ts';
import { CHANGES, webhookRecords } from '../../../src/features/events/webhooks/records.ts';
import { type Client, errorOf } from '../../harness/client.ts';
import { enterSandbox, QUICK as SANDBOX_QUICK, waitUntil } from '../sandbox/sandbox.ts';
import { namesIn, startReceiver } from './receiver.ts';
import { type Made, makePlants, makeWebhook, QUICK, readWebhook, startWebhooks } from './webhooks.ts';

const NUL = '\0';
/** An attempt does not end by itself. */
const ENDLESS = { ...QUICK, attempt: 600_000 };

/** The statement that adds a webhook. */
const ADDITION = /^INSERT INTO webhooks /;
/** The statement that raises a beat, or the number of changes. */
const ANNOUNCEMENT = /^INSERT INTO webhook_holders /;
/** The first statement after a change. It takes the webhook for this process, unless a process has it. */
const LOOK = /^UPDATE webhooks SET holder = \$3/;

/** A feature that calls `act` before each statement that writes. */
function beforeWrites(act: (sql: string, values: readonly unknown[]) => unknown): OpenFeature {
  return ({ engine: { statements } }) => {
    const { write } = statements;
    statements.write = async (sql, values) => {
      await act(sql, values);
      return write(sql, values);
    };
    return {};
  };
}

/** A feature that holds each new webhook before it is stored, until `release`. `count` returns their number. */
function holdAdditions() {
  const held = Promise.withResolvers<void>();
  let added = 0;
  const feature = beforeWrites((sql) => {
    if (!ADDITION.test(sql)) return;
    added++;
    return held.promise;
  });
  return { feature, count: () => added, release: held.resolve };
}

/** A receiver whose first answer waits for `release`. */
async function startHolding(status = 204) {
  const held = Promise.withResolvers<void>();
  const receiver = await startReceiver(async (_, place) => {
    if (place === 1) await held.promise;
    return place === 1 ? status : 204;
  });
  return Object.assign(receiver, { release: held.resolve });
}

describe('a hostile client of webhooks', () => {
  test('may send texts that a database cannot store', async () => {
    await using service = await startWebhooks();
    const { client } = service;
    for (const terms of [
      { description: `a${NUL}b` },
      { description: '\ud800' },
      { url: `${NUL}http://127.0.0.1:9/` },
      { url: `http://127.0.0.1:9/${NUL}` },
      { url: `http://127.0.0.1:9/?${NUL}` },
      { url: ' \t\nhttp://127.0.0.1:9/\ud800' },
      { url: 'http://127.0.0.1:9/'.padEnd(2_048, '\u{1f331}') },
      { url: `http://127.0.0.1:9/${'é'.repeat(1_000)}` },
      { url: 'http://[::ffff:127.0.0.1]:9/' },
      { url: 'http://0x7f.1:9/' },
    ]) {
      const made = await client.send('POST', '/webhooks', { body: terms });
      if (made.status !== 201) {
        assert.equal(made.status, 400, made.text);
        continue;
      }
      const webhook = made.json() as { id: string };
      const tested = await client.send('POST', `/webhooks/${webhook.id}/test`);
      assert.equal(tested.status, 200);
      assert.doesNotMatch(tested.text, /URL is refused/);
      assert.equal((await client.send('PUT', `/webhooks/${webhook.id}`, { body: terms })).status, 200);
      assert.equal((await client.send('DELETE', `/webhooks/${webhook.id}`)).status, 204);
    }
    for (const id of ['%00', '%F0%9F%8C%B1', '%ED%A0%80', '..%2f', `%00${'a'.repeat(60)}`]) {
      const { status } = await client.send('GET', `/webhooks/${id}`);
      assert.ok(status === 404 || status === 400, `${id}: ${status}`);
    }
  });

  test('has a receiver that answers with any three digits', async () => {
    await using service = await startWebhooks();
    const { client } = service;
    for (const status of [0, 99, 199, 600, 999]) {
      const digits = String(status).padStart(3, '0');
      const server = createServer((socket) => {
        socket.on('error', () => {}).on('data', () => socket.end(`HTTP/1.1 ${digits} X\r\nContent-Length: 0\r\n\r\n`));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const webhook = await makeWebhook(client, { url: `http://127.0.0.1:${port}/` });
      // The client compares each response with the description.
      const tested = await client.send('POST', `/webhooks/${webhook.id}/test`);
      assert.equal(tested.status, 200, tested.text);
      const [attempt] = (await readWebhook(client, webhook)).attempts;
      assert.equal(attempt?.status, (tested.json() as { status?: number }).status);
      await client.send('DELETE', `/webhooks/${webhook.id}`);
      server.close();
    }
  });

  test('changes a webhook while an attempt is under way, and the webhook goes on', async () => {
    await using service = await startWebhooks();
    await using receiver = await startHolding();
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await receiver.has(1);
    await client.send('PUT', `/webhooks/${webhook.id}`, { body: { url: receiver.url, description: 'changed' } });
    await new Promise((resolve) => setTimeout(resolve, 5 * QUICK.look));
    receiver.release();
    await waitUntil(async () => (await readWebhook(client, webhook)).behind === 0);
    await makePlants(client, [2, 3]);
    await waitUntil(async () => receiver.received.some(({ body }) => body.includes('"id":3')));
  });

  test('changes a webhook many times while the service reads it: the service reads it once more', async () => {
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    let looks = 0;
    const holdLooks = beforeWrites((sql) => {
      if (!isHeld || !LOOK.test(sql)) return;
      looks++;
      return held.promise;
    });
    const reads: string[] = [];
    const noteReads: OpenFeature = ({ engine: { statements } }) => {
      const { read } = statements;
      statements.read = (sql, values) => {
        reads.push(sql);
        return read(sql, values);
      };
      return {};
    };
    await using service = await startWebhooks({ features: [holdLooks, noteReads] });
    const { client, engine } = service;
    const changesSoFar = async () => (await webhookRecords(engine.statements).beats()).get(CHANGES) ?? 0n;
    const webhook = await makeWebhook(client, {});
    const before = await changesSoFar();
    isHeld = true;
    const change = () => client.send('PUT', `/webhooks/${webhook.id}`, { body: {} });
    const first = change();
    await waitUntil(async () => looks === 1);
    const others = Array.from({ length: 20 }, change);
    await waitUntil(async () => (await changesSoFar()) === before + 21n);
    // The responses to these requests come after the service has noticed all changes.
    for (let i = 0; i < 5; i++) await readWebhook(client, webhook);
    held.resolve();
    reads.length = 0;
    for (const { status, text } of await Promise.all([first, ...others])) assert.equal(status, 200, text);
    assert.equal(looks, 2);
    // Changes through this process do not make the regular looks read all webhooks.
    await waitUntil(async () => reads.filter((sql) => sql.startsWith('SELECT id, beat')).length >= 3);
    assert.deepEqual(
      reads.filter((sql) => sql.includes('ORDER BY store, id')),
      [],
    );
  });

  test('repairs a webhook while the last attempt fails, and the webhook stays active', async () => {
    await using service = await startWebhooks();
    await using broken = await startHolding(410);
    await using receiver = await startReceiver();
    const { client } = service;
    const webhook = await makeWebhook(client, { url: broken.url });
    await makePlants(client, [1]);
    await broken.has(1);
    await client.send('PUT', `/webhooks/${webhook.id}`, { body: { url: receiver.url } });
    broken.release();
    await receiver.has(1);
    await waitUntil(async () => (await readWebhook(client, webhook)).behind === 0);
    assert.equal((await readWebhook(client, webhook)).state, 'active');
  });

  test('goes back to the cursor that is stored while messages are under way', async () => {
    await using service = await startWebhooks();
    await using receiver = await startHolding();
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await receiver.has(1);
    await client.send('PUT', `/webhooks/${webhook.id}/cursor`, { body: { after: webhook.cursor } });
    receiver.release();
    assert.deepEqual(
      (await receiver.has(2)).map(({ type }) => type),
      ['plant.created', 'plant.created'],
    );
  });

  test('answers 410 while the service reads the webhooks: it sends nothing more', async () => {
    let isHeld = false;
    const [reading, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holdReads: OpenFeature = ({ engine: { statements } }) => {
      const { read } = statements;
      statements.read = async (sql, values) => {
        const rows = await read(sql, values);
        if (!isHeld || !sql.includes('ORDER BY store, id')) return rows;
        reading.resolve();
        await held.promise;
        return rows;
      };
      return {};
    };
    await using service = await startWebhooks({ features: [holdReads] });
    await using receiver = await startHolding(410);
    const { client, engine } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    await receiver.has(1);
    isHeld = true;
    await webhookRecords(engine.statements).raise(CHANGES);
    await reading.promise;
    receiver.release();
    await waitUntil(async () => (await readWebhook(client, webhook)).state === 'disabled');
    held.resolve();
    // After what was read has applied.
    const inbox = await makeWebhook(client, {});
    await makePlants(client, [2]);
    await waitUntil(async () => (await readWebhook(client, inbox)).attempts.length > 0);
    assert.equal((await readWebhook(client, webhook)).state, 'disabled');
    assert.equal(receiver.received.length, 1);
  });

  test('deletes a webhook during its test', async () => {
    await using service = await startWebhooks();
    await using receiver = await startHolding();
    const { client, engine } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    const tested = client.send('POST', `/webhooks/${webhook.id}/test`);
    await receiver.has(1);
    await client.send('DELETE', `/webhooks/${webhook.id}`);
    receiver.release();
    assert.equal(errorOf(await tested), 40403);
    assert.deepEqual(await engine.statements.read('SELECT number FROM webhook_attempts'), []);
  });

  test('deletes a webhook while its attempts are stored, which leaves no attempt', async () => {
    await using service = await startWebhooks();
    const { client, engine } = service;
    const { read, write } = engine.statements;
    await makeWebhook(client, {});
    const [webhook] = await webhookRecords(engine.statements).list('default');
    assert.ok(webhook);
    const late = webhookRecords({
      read,
      async write(sql, values) {
        if (sql.includes('INSERT INTO webhook_attempts')) {
          await write('DELETE FROM webhooks WHERE store = $1 RETURNING id', ['default']);
        }
        return write(sql, values);
      },
    });
    const attempt = { at: 1, message: 'a', type: 'webhook.test', status: 204, milliseconds: 1 };
    await late.addAttempts(webhook, [attempt]);
    assert.deepEqual(await read('SELECT number FROM webhook_attempts'), []);
  });

  test('leaves during a test: the attempt ends, and the log has no error', async () => {
    await using service = await startWebhooks({ webhookTimes: ENDLESS });
    await using receiver = await startReceiver(() => new Promise<number>(() => {}));
    const { client, log } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    const left = new AbortController();
    const asked = fetch(`${client.url}/webhooks/${webhook.id}/test`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${client.token}` },
      signal: left.signal,
    }).catch(() => {});
    await receiver.has(1);
    left.abort();
    await asked;
    await waitUntil(async () => (await readWebhook(client, webhook)).attempts.length === 1);
    assert.doesNotMatch(log(), /"level":"?(50|error)/);
    assert.doesNotMatch(log(), /whsec_/);
  });

  test('leaves while its new webhooks wait for their turn: the service adds none of them', async () => {
    const additions = holdAdditions();
    await using service = await startWebhooks({ features: [additions.feature], webhooksPerStore: 100 });
    const { client } = service;
    const create = () => client.send('POST', '/webhooks', { body: {} });
    const first = create();
    await waitUntil(async () => additions.count() === 1);
    const others = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect({ port: Number(new URL(client.url).port), host: '127.0.0.1' });
        await once(socket, 'connect');
        const fields = `Authorization: Bearer ${client.token}\r\nContent-Type: application/json\r\nContent-Length: 2`;
        socket.write(`POST /webhooks HTTP/1.1\r\nHost: x\r\n${fields}\r\n\r\n{}`);
        return socket;
      }),
    );
    // The service reads these requests after those of the others, and then after the others have left.
    const between = () => client.send('GET', '/webhooks');
    for (let i = 0; i < 5; i++) await between();
    for (const socket of others) socket.resetAndDestroy();
    for (let i = 0; i < 5; i++) await between();
    const last = create();
    additions.release();
    for (const { status, text } of await Promise.all([first, last])) assert.equal(status, 201, text);
    assert.equal(additions.count(), 2);
  });

  test('deletes its sandbox while a new webhook waits for its turn: the service adds none', async () => {
    const additions = holdAdditions();
    await using service = await startWebhooks({ features: [additions.feature], sandboxes: 10 });
    const { client } = service;
    const visitor = await enterSandbox(service);
    const first = makeWebhook(client, {});
    await waitUntil(async () => additions.count() === 1);
    const waiting = visitor.send('POST', '/webhooks', { body: {} });
    // The service reads these requests after the one that waits.
    for (let i = 0; i < 5; i++) await visitor.send('GET', '/webhooks');
    assert.equal((await visitor.send('DELETE', '/sandbox')).status, 204);
    additions.release();
    await first;
    assert.equal(errorOf(await waiting), 40102);
    assert.equal(additions.count(), 1);
  });

  test('deletes its sandbox just before a message is sent: the log has no warning about the store', async () => {
    const ended = Promise.withResolvers<unknown>();
    let sandbox: Client | undefined;
    const endSandbox: OpenFeature = () => ({
      deliver: (own) => async (delivery) => {
        await sandbox?.send('DELETE', '/sandbox');
        const outcome = own(delivery);
        ended.resolve(outcome);
        return outcome;
      },
    });
    await using service = await startWebhooks({ features: [endSandbox], sandboxes: 10 });
    sandbox = await enterSandbox(service);
    await makeWebhook(sandbox, {});
    await makePlants(sandbox, [1]);
    assert.match(JSON.stringify(await ended.promise), /The sandbox has expired or was deleted/);
    assert.doesNotMatch(service.log(), /the store cannot serve/);
  });

  test('creates webhooks beyond the maximum: the service refuses them and adds none', async () => {
    let added = 0;
    const countAdditions = beforeWrites((sql) => {
      if (ADDITION.test(sql)) added++;
    });
    await using service = await startWebhooks({ features: [countAdditions], webhooksPerStore: 1 });
    const { client } = service;
    await makeWebhook(client, {});
    assert.equal(errorOf(await client.send('POST', '/webhooks', { body: {} })), 40031);
    assert.equal(added, 1);
  });

  test('creates a webhook while the store is overloaded: it delivers, although the client got 503', async () => {
    let isOverloaded = false;
    const refuseAnnouncements = beforeWrites((sql, values) => {
      if (isOverloaded && ANNOUNCEMENT.test(sql) && values[0] === CHANGES) throw new StoreFailure('overloaded');
    });
    await using service = await startWebhooks({ features: [refuseAnnouncements] });
    const { client } = service;
    await makeWebhook(client, { types: ['store.reset'] });
    isOverloaded = true;
    assert.equal(errorOf(await client.send('POST', '/webhooks', { body: { description: 'stored' } })), 50301);
    isOverloaded = false;
    await makePlants(client, [1]);
    const webhooks = (await client.send('GET', '/webhooks')).json() as readonly (Made & { description?: string })[];
    const stored = webhooks.find(({ description }) => description === 'stored');
    assert.ok(stored);
    await waitUntil(async () => (await readWebhook(client, stored)).attempts.length === 1);
  });

  test('sends many tests to a receiver that never answers, and the messages of another store arrive', async () => {
    await using service = await startWebhooks({ webhookTimes: ENDLESS, webhookConcurrency: 16 });
    await using tarpit = await startReceiver(() => new Promise<number>(() => {}));
    await using receiver = await startReceiver();
    const [one, other] = [service.client, await service.as({ store: 'other' })];
    const webhook = await makeWebhook(one, { url: tarpit.url });
    const left = new AbortController();
    const tests = Array.from({ length: 20 }, () =>
      fetch(`${one.url}/webhooks/${webhook.id}/test`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${one.token}` },
        signal: left.signal,
      }).catch(() => {}),
    );
    await tarpit.has(2);
    await makeWebhook(other, { url: receiver.url });
    await makePlants(other, [1]);
    assert.deepEqual(namesIn(await receiver.has(1)), [1]);
    assert.equal(tarpit.received.length, 2);
    // Tests that wait for their turn end too when their client leaves.
    left.abort();
    await Promise.all(tests);
    await waitUntil(async () => (await readWebhook(one, webhook)).attempts.length === 20);
    assert.equal(tarpit.received.length, 2);
  });

  test('has a silent receiver: the messages of another sandbox arrive meanwhile, and its own messages stay in order', {
    timeout: 20_000,
  }, async () => {
    // The receivers of all sandboxes together have one turn.
    const options = { sandboxes: 10, sandboxTimes: SANDBOX_QUICK, webhookTimes: ENDLESS, webhookConcurrency: 2 };
    await using service = await startWebhooks(options);
    await using silent = await startHolding();
    await using receiver = await startReceiver();
    const [slow, other] = [await enterSandbox(service), await enterSandbox(service)];
    const webhook = await makeWebhook(slow, { url: silent.url });
    await makeWebhook(other, { url: receiver.url });
    await makePlants(slow, [1, 2]);
    await silent.has(1);
    await makePlants(other, [7]);
    assert.deepEqual(namesIn(await receiver.has(1)), [7]);
    silent.release();
    assert.deepEqual(namesIn(await silent.has(2)), [1, 2]);
    await waitUntil(async () => (await readWebhook(slow, webhook)).attempts.length === 2);
    const { attempts } = await readWebhook(slow, webhook);
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [204, 204],
    );
    slow.close();
    other.close();
  });

  test('has more silent receivers than may rest: further attempts end soon, and the service hangs up', {
    timeout: 20_000,
  }, async () => {
    let hangUps = 0;
    await using tarpit = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('close', () => hangUps++)
        .resume();
    });
    await once(tarpit.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(tarpit.address() as AddressInfo).port}/`;
    // 20 messages of a sandbox may rest. They use up no memory of its requests.
    const options = { sandboxes: 10, webhooksPerStore: 21, sandboxMemory: 8 * 65_536, webhookTimes: ENDLESS };
    await using service = await startWebhooks(options);
    const sandbox = await enterSandbox(service);
    const webhooks = await Promise.all(Array.from({ length: 21 }, () => makeWebhook(sandbox, { url })));
    await makePlants(sandbox, [1]);
    await waitUntil(async () => hangUps > 0);
    let failures: readonly (string | undefined)[] = [];
    await waitUntil(async () => {
      const read = await Promise.all(webhooks.map((one) => readWebhook(sandbox, one)));
      failures = read.flatMap(({ attempts: [first] }) => first?.failure ?? []);
      return failures.length > 0;
    });
    // The other messages still wait.
    assert.equal(failures.length, 1);
    assert.match(`${failures[0]}`, /^A sandbox may have at most 20 messages that wait for slow receivers or delays/);
    const listed = await sandbox.send('GET', '/plants?limit=1000', { headers: { Fault: 'slow;rate=1000000' } });
    assert.equal(listed.status, 200, listed.text);
    sandbox.close();
  });

  test('holds a test and an attempt while the service stops: both end', async () => {
    await using service = await startWebhooks({ webhookTimes: ENDLESS });
    await using receiver = await startReceiver(() => new Promise<number>(() => {}));
    const { client } = service;
    const webhook = await makeWebhook(client, { url: receiver.url });
    await makePlants(client, [1]);
    const tested = client.send('POST', `/webhooks/${webhook.id}/test`);
    await receiver.has(2);
    await service.restart();
    assert.match((await tested).text, /the attempt was ended/);
    await receiver.has(3);
  });

  test('sends to the service itself: it refuses the messages, and they cause no further event', async () => {
    await using service = await startWebhooks({ sandboxes: 10 });
    const sandbox = await enterSandbox(service);
    const target = service.client.url;
    const eventsOf = async (client: Client) => (await client.send('GET', '/events')).json() as readonly unknown[];
    const before = (await eventsOf(sandbox)).length;
    // Needs no token.
    const toSandboxes = await makeWebhook(sandbox, { url: `${target}/sandboxes` });
    const toPlants = await makeWebhook(sandbox, { url: `${target}/plants` });
    const inbox = await makeWebhook(sandbox, {});
    await makePlants(sandbox, [1]);
    for (const webhook of [toSandboxes, toPlants, inbox]) {
      await waitUntil(async () => (await readWebhook(sandbox, webhook)).attempts.length > 0);
    }
    const statusOf = async (webhook: Made) => (await readWebhook(sandbox, webhook)).attempts.at(-1)?.status;
    assert.deepEqual([await statusOf(toSandboxes), await statusOf(toPlants), await statusOf(inbox)], [400, 401, 204]);
    assert.deepEqual(await service.engine.statements.read('SELECT count(*) FROM sandboxes'), [[1n]]);
    assert.equal((await eventsOf(sandbox)).length, before + 1);
    sandbox.close();
  });

  test('reads no plants with a token that may not read plants', async () => {
    await using service = await startWebhooks();
    const blind = await service.as({ scopes: ['webhooks'] });
    const refused = await blind.send('POST', '/webhooks', { body: {} });
    assert.equal(errorOf(refused), 40300);
    assert.match(refused.text, /lacks the scope plants:read\./);
  });
});
