/** Another client changes the plant of a request: between two attempts, before the operation or after its commit. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Client, errorOf } from '../../harness/client.ts';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox, QUICK } from './sandbox.ts';

const FERN = { id: 1, name: 'Fern', tag: 'green' };
const OTHER = { id: 1, name: 'Another client' };

describe('another client', async () => {
  const service = await startTestService({ sandboxes: 1_000, sandboxTimes: QUICK, sandboxPlants: 2 });
  after(() => service[Symbol.asyncDispose]());
  const enter = async (...plants: readonly object[]) => {
    const client = await enterSandbox(service);
    after(() => client.close());
    for (const body of plants) assert.equal((await client.send('POST', '/plants', { body })).status, 200);
    return client;
  };
  const stored = async (client: Client) => (await client.send('GET', '/sandbox/plants')).json();
  const race = (client: Client, other: string, method: string, target: string, body?: object, more = {}) =>
    client.send(method, target, { body, headers: { Fault: `race;other=${other}`, ...more } });

  test('changes the plant just before the operation', async () => {
    const put = { name: 'Mine' };
    for (const [other, method, result, left] of [
      ['replace', 'GET', OTHER, [OTHER]],
      ['replace', 'PUT', { id: 1, name: 'Mine' }, [{ id: 1, name: 'Mine' }]],
      ['replaceIfMatch', 'GET', OTHER, [OTHER]],
      ['delete', 'GET', 40401, []],
      ['delete', 'PUT', 40401, []],
      ['recreate', 'GET', OTHER, [OTHER]],
      ['recreate', 'DELETE', undefined, []],
    ] as const) {
      const client = await enter(FERN);
      const response = await race(client, other, method, '/plants/1', method === 'PUT' ? put : undefined);
      const found = response.text === '' ? undefined : response.status < 400 ? response.json() : errorOf(response);
      assert.deepEqual([found, await stored(client)], [result, left], `${other}, ${method}`);
    }
  });

  test('makes a conditional request fail, unless it comes too late', async () => {
    for (const other of ['replace', 'replaceIfMatch', 'recreate']) {
      const client = await enter(FERN);
      const { etag } = (await client.send('GET', '/plants/1')).headers;
      const response = await race(client, other, 'PUT', '/plants/1', { name: 'Mine' }, { 'If-Match': etag });
      assert.equal(errorOf(response), 41200);
      assert.deepEqual(await stored(client), [OTHER]);
    }
    // After the commit of a replace, the version that the other client has read is outdated.
    const client = await enter(FERN);
    const after = { Fault: 'race;other=replaceIfMatch;when=afterCommit' };
    assert.equal((await race(client, '', 'PUT', '/plants/1', { name: 'Mine' }, after)).status, 200);
    assert.deepEqual(await stored(client), [{ id: 1, name: 'Mine' }]);
    assert.equal((await race(client, '', 'GET', '/plants/1', undefined, after)).status, 200);
    assert.deepEqual(await stored(client), [OTHER]);
  });

  test('takes the id of a new plant, or does nothing if there is no plant', async () => {
    const client = await enter();
    for (const other of ['replace', 'replaceIfMatch', 'delete']) {
      assert.equal(errorOf(await race(client, other, 'GET', '/plants/1')), 40401);
    }
    assert.equal(errorOf(await race(client, 'recreate', 'POST', '/plants', FERN)), 40009);
    assert.deepEqual(await stored(client), [OTHER]);
  });

  test('changes the plant between a lost response and the attempt after it', async () => {
    const rule = {
      fault: { kind: 'reset', other: 'replace' },
      when: 'afterCommit',
      match: { operation: 'replacePlant' },
    };
    const client = await enter(FERN);
    const { etag } = (await client.send('GET', '/plants/1')).headers;
    await client.send('PUT', '/sandbox/faults', { body: [{ ...rule, times: 1 }] });
    const put = () => client.send('PUT', '/plants/1', { body: { name: 'Mine' }, headers: { 'If-Match': etag } });
    await assert.rejects(put());
    assert.deepEqual(await stored(client), [OTHER]);
    assert.equal(errorOf(await put()), 41200);
    const recorded = (await client.send('GET', '/sandbox/requests')).json() as { status: number; fault?: string }[];
    assert.deepEqual(
      recorded.slice(-2).map(({ status, fault }) => [status, fault]),
      [
        [200, 'reset, after commit, other client: replace'],
        [412, undefined],
      ],
    );
  });

  test('acts although a status takes the place of the operation', async () => {
    const client = await enter(FERN);
    const headers = { Fault: 'status;status=503;other=delete' };
    assert.equal(errorOf(await client.send('PUT', '/plants/1', { body: { name: 'Mine' }, headers })), 50300);
    assert.deepEqual(await stored(client), []);
  });

  test('cannot exceed the budgets of the sandbox', async () => {
    const client = await enter(FERN, { id: 2, name: 'Ivy' });
    assert.equal((await race(client, 'recreate', 'GET', '/plants/2')).status, 200);
    const refused = await race(client, 'recreate', 'GET', '/plants/3');
    assert.equal(errorOf(refused), 40010);
    assert.match(refused.text, /its maximum number of plants is 2/);
  });

  test('does nothing after the commit if its plant does not fit, and the request keeps its result', async () => {
    // A plant without a name takes 200 bytes, and `Another client` takes 221.
    await using narrow = await startTestService({ sandboxes: 1, sandboxSize: 400 });
    const client = await enterSandbox(narrow);
    for (const id of [1, 2]) await client.send('POST', '/plants', { body: { id, name: '' } });
    const late = { Fault: 'race;other=replace;when=afterCommit' };
    const replaced = await race(client, '', 'PUT', '/plants/1', { name: '' }, late);
    assert.deepEqual([replaced.status, replaced.json()], [200, { id: 1, name: '' }]);
    const headers = { Fault: 'status;status=503;other=replace;when=afterCommit' };
    assert.equal(errorOf(await client.send('PUT', '/plants/1', { body: { name: '' }, headers })), 50300);
    assert.equal((await race(client, '', 'DELETE', '/plants/2', undefined, late)).status, 204);
    assert.deepEqual(await stored(client), [{ id: 1, name: '' }]);
    client.close();
  });

  test('needs the id of a plant, which a list does not have', async () => {
    const client = await enter(FERN);
    assert.equal(errorOf(await race(client, 'delete', 'GET', '/plants')), 40020);
    const rule = { fault: { kind: 'race', other: 'delete' } };
    const put = (match?: object) => client.send('PUT', '/sandbox/faults', { body: [{ ...rule, match }] });
    const refused = await put({ operation: 'listPlants' });
    assert.equal(errorOf(refused), 40020);
    assert.match(refused.text, /0\.fault: listPlants has no plant for another client\./);
    assert.equal((await put()).status, 200);
    assert.deepEqual((await client.send('GET', '/plants')).json(), [FERN]);
    assert.equal(errorOf(await client.send('GET', '/plants/1')), 40401);
  });
});
