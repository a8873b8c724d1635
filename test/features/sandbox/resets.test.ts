/** Resets and snapshots: whole, one at a time, within budgets, and without a break for readers. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createLogger } from '../../../src/observe/log.ts';
import { plantSize } from '../../../src/stores/plant-size.ts';
import { type Client, type ClientResponse, createClient, errorOf } from '../../harness/client.ts';
import { createDatabase } from '../../harness/database.ts';
import { startTestService, startWith } from '../../harness/service.ts';
import { enterSandbox, makeSandbox, QUICK } from './sandbox.ts';

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

describe('a large sandbox', async () => {
  const size = 1_048_576;
  const service = await startTestService({
    sandboxes: 100,
    sandboxSize: size,
    sandboxTimes: QUICK,
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

  test('is reset or saved once if several requests ask at the same time: the others are refused', async () => {
    const sandbox = await enter(longPlants(size / 2));
    const other = await enter([LONG]);
    for (const copy of [snapshot, reset]) {
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
    }
  });

  test('waits for its turn if many sandboxes are reset at the same time', async () => {
    const sandboxes = await Promise.all(Array.from({ length: 6 }, () => enter(longPlants(size / 8))));
    const taken = await Promise.all(sandboxes.map(snapshot));
    assert.deepEqual([...new Set(taken.map(({ status }) => status))], [201]);
    const restored = await Promise.all(sandboxes.map((sandbox) => reset(sandbox, '?snapshot=1')));
    assert.deepEqual([...new Set(restored.map(({ status }) => status))], [204]);
  });
});

test('the resets of all networks of an IPv6 site (/48) share the turns of one address', async () => {
  await using service = await startTestService({ sandboxes: 100, sandboxTimes: QUICK, trustProxy: ['127.0.0.1'] });
  const enter = async (address: string) => {
    const headers = { 'X-Forwarded-For': address };
    const made = await service.client.send('POST', '/sandboxes', { token: null, body: {}, headers });
    const sandbox = createClient(service.client.url, (made.json() as { token: string }).token);
    after(() => sandbox.close());
    await fill(sandbox, longPlants(262_144));
    return sandbox;
  };
  const greedy = await Promise.all(Array.from({ length: 16 }, (_, i) => enter(`2001:db8:4:${i}::1`)));
  const other = await enter('2001:db8:5::1');
  const ends: string[] = [];
  const end = async (who: string, sandbox: Client) => {
    assert.equal((await reset(sandbox)).status, 204);
    ends.push(who);
  };
  await Promise.all([...greedy.map((sandbox) => end('greedy', sandbox)), end('other', other)]);
  assert.ok(ends.indexOf('other') < greedy.length / 2, ends.join());
});

test('a mistyped query parameter of a request that changes a sandbox is refused, and nothing is changed', async () => {
  await using service = await startTestService({ sandboxes: 10 });
  const sandbox = await enterSandbox(service);
  await fill(sandbox, [{ name: 'Aloe' }]);
  await snapshot(sandbox);
  const before = await list(sandbox);
  const refused = await reset(sandbox, '?snapshots=1');
  assert.deepEqual([refused.status, errorOf(refused)], [400, 40006]);
  assert.match(
    refused.text,
    /snapshots is no query parameter of resetSandbox \(did you mean snapshot\?\)\. Nothing was/,
  );
  for (const [method, path] of [
    ['DELETE', '/sandbox?after=1'],
    ['DELETE', '/sandbox/faults?rule=1'],
    ['DELETE', '/sandbox/requests?%3C=1'],
    ['POST', '/sandboxes?plants=garden'],
  ] as const) {
    assert.equal(
      errorOf(await sandbox.send(method, path, { body: path.includes('xes') ? {} : undefined })),
      40006,
      path,
    );
  }
  assert.equal(await list(sandbox), before);
  assert.equal((await sandbox.send('GET', '/sandbox?cache=no')).status, 200);
  const missing = (await sandbox.send('GET', '/sandbox/plant')).text;
  assert.match(missing, /Did you mean \/sandbox\/plants\? \/sandbox\/openapi\.json describes the paths that exist/);
  sandbox.close();
});

test('a body of a request that takes none is refused, and nothing is changed', async () => {
  await using service = await startTestService({ sandboxes: 10 });
  const sandbox = await enterSandbox(service);
  await fill(sandbox, [{ name: 'Aloe' }]);
  await snapshot(sandbox);
  const before = await list(sandbox);
  for (const [method, path] of [
    ['POST', '/sandbox/reset'],
    ['POST', '/sandbox/snapshots'],
    ['DELETE', '/sandbox/faults'],
    ['DELETE', '/sandbox/requests'],
    ['DELETE', '/sandbox'],
  ] as const) {
    const refused = await sandbox.send(method, path, { body: { snapshot: 1 } });
    assert.deepEqual([refused.status, errorOf(refused)], [400, 40006], path);
    const chunked = await sandbox.send(method, path, { headers: { 'Transfer-Encoding': 'chunked' }, body: '{"id":1}' });
    assert.deepEqual([chunked.status, errorOf(chunked)], [400, 40006], path);
  }
  const refused = await sandbox.send('POST', '/sandbox/reset', { body: { snapshot: 1 } });
  assert.match(refused.text, /resetSandbox takes no body; write snapshot in the query\. Nothing was changed/);
  assert.equal(await list(sandbox), before);
  assert.equal((await sandbox.send('POST', '/sandbox/reset', { body: {} })).status, 204);
  sandbox.close();
});

test('a demo whose plants are more than a sandbox may have does not start', async () => {
  const demo = startTestService({ demo: true, token: 'demo', sandboxPlants: 51 });
  await assert.rejects(demo, {
    message: /a demo begins with 52 plants, and --sandbox-plants allows 51; allow at least 52$/,
  });
});

test('the garden of a sandbox has at most the plants that a sandbox may have', async () => {
  await using service = await startTestService({ sandboxes: 10, sandboxPlants: 10, sandboxTimes: QUICK });
  const sandbox = await enterSandbox(service, { plants: 'garden' });
  const first = await list(sandbox);
  assert.equal(JSON.parse(first).length, 10);
  assert.equal(errorOf(await sandbox.send('POST', '/plants', { body: { id: 12, name: 'Aloe' } })), 40010);
  assert.equal((await sandbox.send('DELETE', '/plants/1')).status, 204);
  assert.equal((await reset(sandbox)).status, 204);
  assert.equal(await list(sandbox), first);
  sandbox.close();
});

test('a reset restores the plants that the sandbox began with, also after another --sandbox-plants', async () => {
  await using database = await createDatabase();
  const start = (sandboxPlants: number) =>
    startWith({ database: database.url, sandboxes: 10, sandboxPlants }, createLogger('silent', process.stderr));
  const services = [await start(10), await start(1_000)] as const;
  try {
    for (const [made, used, plants] of [[0, 1, 10] as const, [1, 0, 52] as const]) {
      const stranger = createClient(services[made].url, 'none');
      const sandbox = createClient(services[used].url, (await makeSandbox(stranger, { plants: 'garden' })).token);
      const first = await list(sandbox);
      assert.equal(JSON.parse(first).length, plants);
      assert.equal((await reset(sandbox)).status, 204);
      assert.equal(await list(sandbox), first);
      for (const client of [stranger, sandbox]) client.close();
    }
  } finally {
    for (const service of services) await service.close();
  }
});

test('all snapshots of a sandbox together take at most twice its size, counted by their real bytes', async () => {
  const size = 65_536;
  await using service = await startTestService({ sandboxes: 10, sandboxSize: size, sandboxTimes: QUICK });
  const sandbox = await enterSandbox(service);
  // In the JSON of a snapshot each of these characters is an escape of six bytes.
  await fill(sandbox, Array(20).fill({ name: '\u0001'.repeat(500) }));
  const bytes = async () =>
    Number((await service.engine.statements.read('SELECT sum(octet_length(plants)) FROM snapshots'))[0]?.[0]);
  for (const number of [1, 2]) {
    assert.deepEqual(((await snapshot(sandbox)).json() as { number: number }).number, number);
  }
  assert.ok((await bytes()) > 20 * 6 * 500 * 2 && (await bytes()) < 2 * size);
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

test('a sandbox keeps its limits after a reset to a snapshot', async () => {
  await using service = await startTestService({ sandboxes: 10, sandboxPlants: 10, sandboxTimes: QUICK });
  const sandbox = await enterSandbox(service);
  const create = (id: number) => sandbox.send('POST', '/plants', { body: { id, name: 'Fern' } });
  await fill(sandbox, Array(9).fill({ name: 'Fern' }));
  assert.equal((await snapshot(sandbox)).status, 201);
  for (let i = 0; i < 3; i++) {
    assert.equal((await reset(sandbox)).status, 204);
    assert.equal((await create(100)).status, 200);
    assert.equal((await reset(sandbox, '?snapshot=1')).status, 204);
    const made = await Promise.all([200, 201, 202].map(create));
    assert.deepEqual(made.map(({ status }) => status).sort(), [200, 400, 400]);
  }
  sandbox.close();
});

/** Reads all plants in pages, each through the link of the page before. Returns their ids. */
async function walk(client: Client, limit: number, between: () => Promise<unknown>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let next: string | undefined = `/plants?limit=${limit}`; next !== undefined; ) {
    const page: ClientResponse = await client.send('GET', next);
    assert.equal(page.status, 200, page.text);
    found.push(...(page.json() as { id: number }[]).map(({ id }) => id));
    next = /^<(.+)>; rel="next"$/.exec(String(page.headers['link']))?.[1];
    await between();
  }
  return found;
}

test('a list skips and repeats no plant that exists throughout, across resets between pages', async () => {
  const rates = { sandboxCreateRate: 'off', sandboxControlRate: 'off' } as const;
  await using service = await startTestService({ sandboxes: 10, ...rates, sandboxTimes: QUICK });
  const sandbox = await enterSandbox(service);
  const create = (id: number) => sandbox.send('POST', '/plants', { body: { id, name: 'é'.repeat(400) } });
  const even = Array.from({ length: 350 }, (_, i) => 2 * i);
  await Promise.all(even.map(create));
  assert.equal((await snapshot(sandbox)).status, 201);
  await Promise.all(even.map((id) => create(id + 1)));
  assert.equal((await snapshot(sandbox)).status, 201);

  let resets = 0;
  const resetToOther = async () => {
    assert.equal((await reset(sandbox, `?snapshot=${1 + (resets++ % 2)}`)).status, 204);
  };
  for (const limit of [30, 100]) {
    const found = await walk(sandbox, limit, resetToOther);
    assert.deepEqual(
      found,
      [...new Set(found)].sort((a, b) => a - b),
    );
    assert.deepEqual(
      found.filter((id) => id % 2 === 0),
      even,
    );
  }
  assert.ok(resets > 10);
  sandbox.close();
});
