/** Faults of a sandbox change what its webhooks send, and a careful receiver loses nothing. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { FaultCount, FaultRule } from '../../../src/features/sandbox/sandbox.generated.ts';
import type { Client } from '../../harness/client.ts';
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
