/** Resets and snapshots of large sandboxes: whole, one at a time, and within budgets. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { plantSize } from '../../../src/plants/size.ts';
import { type Client, errorOf } from '../../harness/client.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { enterSandbox, QUICK, waitUntil } from './sandbox.ts';

const LONG = { name: 'é'.repeat(1_024), tag: 't' };
const list = async (client: Client) => (await client.send('GET', '/plants?limit=1000')).text;
const reset = (client: Client, query = '') => client.send('POST', `/sandbox/reset${query}`);
const snapshot = (client: Client) => client.send('POST', '/sandbox/snapshots');

async function fill(client: Client, plants: readonly object[]): Promise<void> {
  const made = await Promise.all(plants.map((plant, id) => client.send('POST', '/plants', { body: { id, ...plant } })));
  for (const one of made) assert.equal(one.status, 200, one.text);
}

/** Long plants that take up to this part of a size. */
const longPlants = (size: number) => Array.from({ length: Math.floor(size / plantSize(LONG)) }, () => LONG);

async function countStores({ engine }: TestService): Promise<number> {
  return Number((await engine.statements.read('SELECT count(*) FROM sandbox_stores'))[0]?.[0]);
}

describe('a large sandbox', async () => {
  const size = 1_048_576;
  const service = await startTestService({
    sandboxes: 100,
    sandboxPlants: 1_000,
    sandboxSize: size,
    sandboxTimes: { ...QUICK, grace: 60_000 },
  });
  after(() => service[Symbol.asyncDispose]());
  const enter = async (plants: readonly object[]) => {
    const sandbox = await enterSandbox(service);
    after(() => sandbox.close());
    await fill(sandbox, plants);
    return sandbox;
  };

  test('is restored whole from a snapshot', async () => {
    const plants = Array.from({ length: 520 }, (_, i) => (i % 5 === 0 ? LONG : { name: `Fern ${i}`, tag: 'fern' }));
    const sandbox = await enter(plants);
    const before = await list(sandbox);
    assert.equal((await snapshot(sandbox)).status, 201);
    await sandbox.send('DELETE', '/plants/7');
    assert.notEqual(await list(sandbox), before);
    assert.equal((await reset(sandbox, '?snapshot=1')).status, 204);
    assert.equal(await list(sandbox), before);
  });

  test('is copied once if several requests ask at once: the others are refused and write nothing', async () => {
    const sandbox = await enter(longPlants(size / 2));
    const other = await enter([LONG]);
    for (const copy of [snapshot, reset]) {
      const before = await countStores(service);
      const [ofOther, ...results] = await Promise.all([
        snapshot(other),
        ...Array.from({ length: 8 }, () => copy(sandbox)),
      ]);
      assert.equal(ofOther.status, 201);
      const refused = results.filter(({ status }) => status === 429);
      assert.ok(refused.length > 0);
      assert.deepEqual([...new Set(refused.map(errorOf))], [42902]);
      assert.equal(refused[0]?.headers['retry-after'], '1');
      assert.match(refused[0]?.text ?? '', /at most one reset or snapshot under way; retry after 1 s/);
      assert.equal(results.filter(({ status }) => status < 300).length, 8 - refused.length);
      assert.equal((await countStores(service)) - before, 1 + 8 - refused.length);
    }
  });

  test('waits for its turn if many sandboxes are copied at the same time', async () => {
    const sandboxes = await Promise.all(Array.from({ length: 6 }, () => enter(longPlants(size / 8))));
    const taken = await Promise.all(sandboxes.map(snapshot));
    assert.deepEqual([...new Set(taken.map(({ status }) => status))], [201]);
    const restored = await Promise.all(sandboxes.map((sandbox) => reset(sandbox, '?snapshot=1')));
    assert.deepEqual([...new Set(restored.map(({ status }) => status))], [204]);
  });
});

test('all snapshots of a sandbox together take at most twice its size', async () => {
  const size = 65_536;
  await using service = await startTestService({ sandboxes: 10, sandboxSize: size, sandboxTimes: QUICK });
  const sandbox = await enterSandbox(service);
  await fill(sandbox, longPlants(size));
  for (const number of [1, 2]) {
    assert.deepEqual(((await snapshot(sandbox)).json() as { number: number }).number, number);
  }
  const refused = await snapshot(sandbox);
  assert.equal(errorOf(refused), 40010);
  assert.match(refused.text, /All snapshots of a sandbox together may take 128 KiB\./);
  // A smaller snapshot still fits, and so does one of another sandbox.
  await reset(sandbox);
  assert.equal((await snapshot(sandbox)).status, 201);
  const other = await enterSandbox(service);
  await fill(other, longPlants(size));
  assert.equal((await snapshot(other)).status, 201);
  for (const client of [sandbox, other]) client.close();
});

test('the plants that resets replaced take at most the size of a sandbox until they are deleted', async () => {
  const size = 65_536;
  let now = Date.now();
  const sandboxTimes = { ...QUICK, grace: 5_000 };
  await using service = await startTestService({ sandboxes: 10, sandboxSize: size, sandboxTimes, now: () => now });
  const sandbox = await enterSandbox(service);
  await fill(sandbox, longPlants(size));
  assert.equal((await reset(sandbox)).status, 204);
  await fill(sandbox, longPlants(size));
  const before = await countStores(service);
  const refused = await reset(sandbox);
  assert.deepEqual([errorOf(refused), refused.headers['retry-after']], [42902, '6']);
  assert.match(refused.text, /The service keeps at most 64 KiB of plants that your resets replaced; retry/);
  assert.equal(await countStores(service), before);
  // Small sandboxes can be reset often.
  const other = await enterSandbox(service, { plants: 'garden' });
  for (let i = 0; i < 4; i++) assert.equal((await reset(other)).status, 204);
  now += 6_000;
  await waitUntil(async () => (await reset(sandbox)).status === 204);
  for (const client of [sandbox, other]) client.close();
});
