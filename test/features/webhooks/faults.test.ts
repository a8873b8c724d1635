/** Faults of a sandbox change what its webhooks send, and a careful receiver loses nothing. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultCount, FaultRule } from '../../../src/features/sandbox/sandbox.generated.ts';
import { type Client, errorOf } from '../../harness/client.ts';
import { enterSandbox, QUICK, waitUntil } from '../sandbox/sandbox.ts';
import { type Received, startReceiver, verify } from './receiver.ts';
import { type Made, makePlants, makeWebhook, readWebhook, startWebhooks } from './webhooks.ts';

interface Inbox {
  readonly number: number;
  readonly message: string;
  readonly type: string;
  readonly body: string;
  readonly verdict: string;
  readonly reason?: string;
}

const REFUSED = 400;

describe('a fault of a sandbox', async () => {
  const service = await startWebhooks({ sandboxes: 100, sandboxTimes: QUICK });
  after(() => service[Symbol.asyncDispose]());

  const enter = async (...rules: readonly FaultRule[]): Promise<Client> => {
    const sandbox = await enterSandbox(service);
    after(() => sandbox.close());
    await setRules(sandbox, rules);
    return sandbox;
  };
  /** A receiver that refuses what the library refuses, and its webhook. */
  const receive = async (sandbox: Client) => {
    let secret = '';
    const isRight = (message: Received) => {
      try {
        verify(message, secret);
        return true;
      } catch {
        return false;
      }
    };
    const receiver = await startReceiver(
      (message) => (isRight(message) ? 204 : REFUSED),
      0,
      () => {},
    );
    after(() => receiver[Symbol.asyncDispose]());
    const webhook = await makeWebhook(sandbox, { url: receiver.url });
    secret = webhook.secret;
    return { receiver, webhook };
  };
  const arrive = async (sandbox: Client, { id }: Made, count: number): Promise<readonly Inbox[]> => {
    let found: readonly Inbox[] = [];
    await waitUntil(async () => {
      found = (await sandbox.send('GET', `/webhooks/${id}/deliveries`)).json() as readonly Inbox[];
      return found.length >= count;
    });
    return found;
  };

  test('sends a message twice, with the same id', async () => {
    const sandbox = await enter({ fault: { kind: 'duplicate' }, match: { message: 'any' }, times: 1 });
    const { receiver, webhook } = await receive(sandbox);
    await makePlants(sandbox, [1, 2]);
    assert.deepEqual(plantsIn(await receiver.has(3)), [1, 1, 2]);
    assert.equal(receiver.received[0]?.id, receiver.received[1]?.id);
    await waitUntil(async () => (await statuses(sandbox, webhook)).length === 3);
    assert.deepEqual(await statuses(sandbox, webhook), [204, 204, 204]);
  });

  test('shows both copies of a message in an inbox, as right', async () => {
    const sandbox = await enter({ fault: { kind: 'duplicate' }, match: { message: 'plant.created' } });
    const webhook = await makeWebhook(sandbox, {});
    await makePlants(sandbox, [1]);
    const [first, second] = await arrive(sandbox, webhook, 2);
    assert.deepEqual(first, { ...second, number: 1, at: (first as unknown as { at: string }).at });
    assert.equal(first?.verdict, 'right');
  });

  test('signs with another secret, and a receiver that refuses it gets the right message next', async () => {
    const sandbox = await enter({ fault: { kind: 'wrongSignature' }, times: 2 });
    const { receiver, webhook } = await receive(sandbox);
    await makePlants(sandbox, [1, 2]);
    assert.deepEqual(plantsIn(await receiver.has(4)), [1, 1, 1, 2]);
    await waitUntil(async () => (await statuses(sandbox, webhook)).length === 4);
    assert.deepEqual(await statuses(sandbox, webhook), [REFUSED, REFUSED, 204, 204]);
    assert.deepEqual(await countsOf(sandbox), [[3 + 1, 2]]);
  });

  test('is wrong in an inbox, which shows why', async () => {
    const sandbox = await enter({ fault: { kind: 'wrongSignature' }, times: 1 });
    const webhook = await makeWebhook(sandbox, {});
    await makePlants(sandbox, [1, 2]);
    const [wrong, right] = await arrive(sandbox, webhook, 2);
    assert.deepEqual([wrong?.verdict, right?.verdict], ['wrong', 'right']);
    assert.match(wrong?.reason ?? '', /another secret/);
  });

  for (const [kind, why] of [
    ['unsigned', /webhook-signature is missing/],
    ['oldTimestamp', /60\d s old/],
    ['changedBody', /the body was changed after it was signed/],
  ] as const) {
    test(`sends a message that a receiver refuses, and then the right one (${kind})`, async () => {
      const sandbox = await enter({ fault: { kind }, times: 1 });
      const { receiver, webhook } = await receive(sandbox);
      await makePlants(sandbox, [1, 2]);
      const [wrong, right] = await receiver.has(3);
      assert.deepEqual(plantsIn(receiver.received), [1, 1, 2]);
      assert.equal(right?.body.includes('Changed'), false);
      assert.equal(wrong?.body === right?.body, kind !== 'changedBody');
      await waitUntil(async () => (await statuses(sandbox, webhook)).length === 3);
      assert.deepEqual(await statuses(sandbox, webhook), [REFUSED, 204, 204]);
    });

    test(`is wrong in an inbox, which shows why (${kind})`, async () => {
      const sandbox = await enter({ fault: { kind }, times: 3 });
      const webhook = await makeWebhook(sandbox, {});
      await makePlants(sandbox, [1]);
      await sandbox.send('DELETE', '/plants/1');
      await sandbox.send('POST', `/webhooks/${webhook.id}/test`);
      await makePlants(sandbox, [2]);
      const found = await arrive(sandbox, webhook, 4);
      const wrong = found.filter(({ verdict }) => verdict === 'wrong');
      assert.equal(wrong.length, 3);
      for (const { reason = '' } of wrong) assert.match(reason, why);
    });
  }

  test('with another client is not for a request about a webhook, whose id is no plant', async () => {
    const sandbox = await enter({ fault: { kind: 'race', other: 'recreate' } });
    const webhook = await makeWebhook(sandbox, {});
    assert.equal((await readWebhook(sandbox, webhook)).state, 'active');
    assert.deepEqual(await countsOf(sandbox), [[0, 0]]);
    for (const other of ['replace', 'replaceIfMatch', 'delete', 'recreate']) {
      const headers = { Fault: `race;other=${other}` };
      const response = await sandbox.send('GET', `/webhooks/${webhook.id}`, { headers });
      assert.match(response.text, /getWebhook has no plant for another client/);
    }
  });

  test('has for 404 the number of the error that the operation itself uses', async () => {
    const sandbox = await enter();
    const { id } = await makeWebhook(sandbox, {});
    for (const headers of [{ Prefer: 'code=404' }, { Fault: 'status;status=404' }]) {
      assert.equal(errorOf(await sandbox.send('GET', '/plants/1', { headers })), 40401);
      assert.equal(errorOf(await sandbox.send('GET', `/webhooks/${id}`, { headers })), 40403);
    }
  });

  test('sends the next message first, and loses nothing', async () => {
    const sandbox = await enter();
    const { receiver, webhook } = await receive(sandbox);
    await makePlants(sandbox, [1, 2, 3]);
    await sandbox.send('DELETE', '/plants/3');
    await receiver.has(4);
    await setRules(sandbox, [{ fault: { kind: 'reordered' }, match: { message: 'plant.created' }, times: 1 }]);
    await sandbox.send('PUT', `/webhooks/${webhook.id}/cursor`, { body: { after: webhook.cursor } });
    await receiver.has(9);
    assert.deepEqual(plantsIn(receiver.received).slice(4), [2, 1, 2, 3, 3]);
    assert.equal(receiver.received[4]?.id, receiver.received[6]?.id);
    await waitUntil(async () => (await statuses(sandbox, webhook)).length === 9);
    assert.ok((await statuses(sandbox, webhook)).every((status) => status === 204));
  });

  test('cannot send the next message first if there is none, and does not count', async () => {
    const sandbox = await enter({ fault: { kind: 'reordered' } });
    const { receiver } = await receive(sandbox);
    await makePlants(sandbox, [1]);
    await receiver.has(1);
    assert.deepEqual(await countsOf(sandbox), [[1, 0]]);
  });

  test('sends a message of an unknown type, with an id of its own, and then the right message', async () => {
    const sandbox = await enter({ fault: { kind: 'unknownType' }, times: 1 });
    const { receiver, webhook } = await receive(sandbox);
    await makePlants(sandbox, [1]);
    const [unknown, right] = await receiver.has(2);
    assert.deepEqual([unknown?.type, right?.type], ['plant.watered', 'plant.created']);
    assert.notEqual(unknown?.id, right?.id);
    for (const message of receiver.received) verify(message, webhook.secret);
    await waitUntil(async () => (await statuses(sandbox, webhook)).length === 2);
    const { attempts } = await readWebhook(sandbox, webhook);
    assert.deepEqual(attempts.map(({ type }) => type).reverse(), ['plant.watered', 'plant.created']);
  });

  test('sends a huge body that is signed, and keeps its start in an inbox', async () => {
    const sandbox = await enter({ fault: { kind: 'hugeBody' } });
    const { receiver, webhook } = await receive(sandbox);
    const inbox = await makeWebhook(sandbox, {});
    await makePlants(sandbox, [1, 2]);
    const [huge] = await receiver.has(2);
    assert.ok(huge);
    assert.equal(huge.body.length, 262_144);
    verify(huge, webhook.secret);
    assert.equal((JSON.parse(huge.body) as { data: { id: number } }).data.id, 1);
    const [kept] = await arrive(sandbox, inbox, 2);
    assert.deepEqual([kept?.verdict, kept?.body.length], ['right', 65_536]);
  });

  test('sends a message late, and the next ones after it', async () => {
    const sandbox = await enter({ fault: { kind: 'delay', ms: 300 }, match: { message: 'any' }, times: 1 });
    const { receiver, webhook } = await receive(sandbox);
    const began = Date.now();
    await makePlants(sandbox, [1, 2]);
    await receiver.has(1);
    assert.ok(Date.now() - began >= 290);
    assert.deepEqual(plantsIn(await receiver.has(2)), [1, 2]);
    for (const message of receiver.received) verify(message, webhook.secret);
  });

  test('sends no late message after its sandbox has ended', async () => {
    const sandbox = await enter({ fault: { kind: 'delay', ms: 3_000 }, match: { message: 'any' } });
    const { receiver } = await receive(sandbox);
    await makePlants(sandbox, [1]);
    await waitUntil(async () => (await countsOf(sandbox))[0]?.[1] === 1);
    assert.equal((await sandbox.send('DELETE', '/sandbox')).status, 204);
    await sleep(3_200);
    assert.equal(receiver.received.length, 0);
  });

  test('that delays messages holds no turn, so the messages of others arrive meanwhile', {
    timeout: 20_000,
  }, async () => {
    // The webhooks of all sandboxes together have one turn.
    await using other = await startWebhooks({ sandboxes: 10, sandboxTimes: QUICK, webhookConcurrency: 2 });
    const [late, quick] = [await enterSandbox(other), await enterSandbox(other)];
    await setRules(late, [{ fault: { kind: 'delay', ms: 30_000 }, match: { message: 'any' } }]);
    const [slow, inbox] = [await makeWebhook(late, {}), await makeWebhook(quick, {})];
    await makePlants(late, [1]);
    await waitUntil(async () => (await countsOf(late))[0]?.[1] === 1);
    await makePlants(quick, [1]);
    await arrive(quick, inbox, 1);
    assert.deepEqual((await readWebhook(late, slow)).attempts, []);
    late.close();
    quick.close();
  });

  test('sends a body slowly and whole', async () => {
    const sandbox = await enter({ fault: { kind: 'slow', rate: 500 }, match: { message: 'any' }, times: 1 });
    const { receiver, webhook } = await receive(sandbox);
    const began = Date.now();
    await makePlants(sandbox, [1]);
    const [message] = await receiver.has(1);
    assert.ok(message);
    assert.ok(Date.now() - began >= (message.body.length / 500) * 1_000 - 50);
    verify(message, webhook.secret);
  });

  test('does not keep the service from stopping', async () => {
    await using other = await startWebhooks({ sandboxes: 10, sandboxTimes: QUICK });
    const sandbox = await enterSandbox(other);
    await setRules(sandbox, [{ fault: { kind: 'delay', ms: 30_000 }, match: { message: 'any' } }]);
    await makeWebhook(sandbox, {});
    await makePlants(sandbox, [1]);
    await waitUntil(async () => (await countsOf(sandbox))[0]?.[1] === 1);
    const began = performance.now();
    await other.restart();
    sandbox.close();
    assert.ok(performance.now() - began < 15_000);
  });

  test('changes only messages of the type that its rule names', async () => {
    const sandbox = await enter({ fault: { kind: 'wrongSignature' }, match: { message: 'webhook.test' } });
    const { receiver, webhook } = await receive(sandbox);
    await makePlants(sandbox, [1]);
    await receiver.has(1);
    const tested = await sandbox.send('POST', `/webhooks/${webhook.id}/test`);
    assert.equal((tested.json() as { status: number }).status, REFUSED);
    await waitUntil(async () => (await statuses(sandbox, webhook)).length === 2);
    assert.deepEqual(await statuses(sandbox, webhook), [204, REFUSED]);
    assert.deepEqual(await countsOf(sandbox), [[1, 1]]);
  });

  test('of requests changes no message, and a fault of messages changes no request', async () => {
    const sandbox = await enter(
      { fault: { kind: 'status', status: 503 }, match: { operation: 'getPlant' } },
      { fault: { kind: 'duplicate' } },
      { fault: { kind: 'wrongSignature' }, match: { message: 'plant.deleted' } },
    );
    const { receiver } = await receive(sandbox);
    await makePlants(sandbox, [1, 2]);
    assert.deepEqual(plantsIn(await receiver.has(2)), [1, 2]);
    assert.equal((await sandbox.send('GET', '/plants/1')).status, 503);
    assert.deepEqual(await countsOf(sandbox), [
      [1, 1],
      [0, 0],
      [0, 0],
    ]);
  });

  test('of one sandbox changes no message of another store', async () => {
    await enter({ fault: { kind: 'wrongSignature' } });
    const others = [await enter(), service.client];
    for (const client of others) {
      const { receiver, webhook } = await receive(client);
      await makePlants(client, [7]);
      const [message] = await receiver.has(1);
      assert.ok(message);
      verify(message, webhook.secret);
    }
  });

  test('is refused if it can never happen', async () => {
    const sandbox = await enter();
    const message = 'any' as const;
    for (const [rule, why] of [
      [{ fault: { kind: 'close' }, match: { message } }, /messages of webhooks cannot have the kind close/],
      [{ fault: { kind: 'wrongSignature' }, match: { operation: 'getPlant' } }, /only for messages of webhooks/],
      [{ fault: { kind: 'wrongSignature' }, match: { id: 1 } }, /only for messages of webhooks/],
      [{ fault: { kind: 'duplicate' }, match: { message, operation: 'listEvents' } }, /only for messages of webhooks/],
      [{ fault: { kind: 'duplicate', event: 2 }, match: { message } }, /takes no event for messages/],
      [{ fault: { kind: 'duplicate', other: 'replace' }, match: { message } }, /takes no other for messages/],
      [{ fault: { kind: 'wrongSignature' }, when: 'afterCommit' }, /afterCommit is only for requests/],
    ] as const) {
      const response = await sandbox.send('PUT', '/sandbox/faults', { body: [rule] });
      assert.equal(response.status, 400, response.text);
      assert.match(response.text, /40020/);
      assert.match(response.text, why);
    }
    const asked = await sandbox.send('GET', '/plants', { headers: { Fault: 'wrongSignature' } });
    assert.match(asked.text, /40020.*the kind wrongSignature is only for the messages of webhooks/);
    const unknown = await sandbox.send('PUT', '/sandbox/faults', {
      body: [{ fault: { kind: 'duplicate' }, match: { message: 'x' } }],
    });
    assert.match(unknown.text, /40005/);
  });
});

async function setRules(sandbox: Client, rules: readonly FaultRule[]): Promise<void> {
  const response = await sandbox.send('PUT', '/sandbox/faults', { body: rules });
  assert.equal(response.status, 200, response.text);
}

/** How often each rule matched and applied. */
async function countsOf(sandbox: Client): Promise<readonly (readonly number[])[]> {
  const counts = (await sandbox.send('GET', '/sandbox/faults/counts')).json() as readonly FaultCount[];
  return counts.map(({ matched, applied }) => [matched, applied]);
}

/** The statuses of the attempts of a webhook, oldest first. */
async function statuses(sandbox: Client, webhook: Made): Promise<readonly (number | undefined)[]> {
  return (await readWebhook(sandbox, webhook)).attempts.map(({ status }) => status).reverse();
}

const plantsIn = (received: readonly Received[]) =>
  received.map(({ body }) => (JSON.parse(body) as { data: { id: number } }).data.id);
