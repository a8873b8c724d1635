/** The library, which starts services in the process of another program's tests. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { startPlantStore } from '../src/index.ts';
import { createClient } from './harness/client.ts';
import { createDirectory } from './harness/directory.ts';

const exact = [
  { id: -(2n ** 63n), name: '' },
  { id: 12, name: 'Aloe vera', tag: 'succulent' },
  { id: 2n ** 53n + 1n, name: '蘭' },
];

test('a service starts with no plants, given plants or the garden, and accepts only its own token', async () => {
  const stores = await Promise.all((['none', exact, 'garden'] as const).map((plants) => startPlantStore({ plants })));
  const lists: string[] = [];
  for (const { url, token } of stores) {
    const client = createClient(url, token);
    lists.push((await client.send('GET', '/plants?limit=1000')).text);
    assert.equal((await client.send('POST', '/plants', { body: { id: 70, name: 'Salvia' } })).status, 200);
    client.close();
  }
  assert.deepEqual(lists.slice(0, 2), [
    '[]',
    '[{"id":-9223372036854775808,"name":""},{"id":12,"name":"Aloe vera","tag":"succulent"},{"id":9007199254740993,"name":"蘭"}]',
  ]);
  assert.match(lists[2] ?? '', /Ocimum basilicum/);
  const url = stores[0]?.url ?? '';
  const headers = { Authorization: `Bearer ${stores[1]?.token}` };
  assert.equal((await fetch(`${url}/plants`, { headers })).status, 401);
  for (const store of stores) await store.close();
  await assert.rejects(fetch(url));
});

test('a service takes options of serve, a token, and a function for the log', async () => {
  const lines: string[] = [];
  const token = 'a-token-of-the-test';
  await using store = await startPlantStore({ token, args: ['--access-log'], log: (line) => lines.push(line) });
  assert.equal(store.token, token);
  const client = createClient(store.url, token);
  await client.send('GET', '/plants/12');
  client.close();
  const logged = lines.map((line) => JSON.parse(line)).filter(({ path }) => path === '/plants/12');
  assert.deepEqual(
    logged.map(({ status, error }) => [status, error]),
    [[404, 40401]],
  );
});

test('each sandbox has its own faults, record of requests and reset', async () => {
  await using store = await startPlantStore({ sandboxes: true });
  const [one, other] = [await store.sandbox(), await store.sandbox({ plants: 'garden' })];
  const list = async ({ url, token }: { readonly url: string; readonly token: string }) => {
    const response = await fetch(`${url}/plants`, { headers: { Authorization: `Bearer ${token}` } });
    return response.status === 200 ? ((await response.json()) as unknown[]).length : response.status;
  };
  await one.fail({ fault: { kind: 'status', status: 503 }, times: 1 });
  await one.fail({ fault: { kind: 'status', status: 429 }, times: 1 });
  assert.deepEqual([await list(one), await list(one), await list(one), await list(other)], [503, 429, 0, 52]);
  assert.deepEqual(
    (await one.requests()).map(({ method, target, status }) => [method, target, status]),
    [503, 429, 200].map((status) => ['GET', '/plants', status]),
  );
  await one.reset();
  assert.deepEqual(await one.requests(), []);
  await assert.rejects(one.fail({ fault: { kind: 'status', status: 418 } }), /^Error: PUT \/sandbox\/faults: rule 1: /);
  await using plain = await startPlantStore();
  await assert.rejects(plain.sandbox(), /^Error: POST \/sandboxes: No such path/);
});

test('an option in `args` takes precedence over a default of the library', async () => {
  await using store = await startPlantStore({ sandboxes: true, args: ['--sandboxes', '1'] });
  await store.sandbox();
  await assert.rejects(store.sandbox(), /^Error: POST \/sandboxes: /);
});

test('a wrong option rejects with an Error in one line that names the option', async () => {
  const refused = [
    [{ plants: 'gardens' as 'garden' }, /^plants: it must be 'none', 'garden' or an array of plants$/],
    [{ plants: [{ id: 1.5, name: 'Aloe' }] }, /^plants\[0\]: id must be an integer[^\n]*$/],
    [{ plants: [exact[1], { id: 12, name: 'Agave' }] as typeof exact }, /^plants\[1\]: another plant has the id 12$/],
    [{ token: 'too short' }, /^token: it must be 16 to 512 characters[^\n]*$/],
    [{ args: ['--prot', '1'] }, /^unknown option --prot \(did you mean --port\?\)[^\n]*$/],
    [{ args: ['--demo'] }, /^args: --demo is an option of the command; use plants: 'garden' instead$/],
    [{ args: ['--host', '203.0.113.1'] }, /^cannot listen on 203\.0\.113\.1:0: EADDRNOTAVAIL$/],
  ] as const;
  for (const [options, message] of refused) await assert.rejects(startPlantStore(options), { message });
});

test('a service prints nothing, adds no signal handler, and leaves no file when its process exits', () => {
  using directory = createDirectory();
  const TMPDIR = directory.at('tmp');
  mkdirSync(TMPDIR);
  const program = `
    import { startPlantStore } from './src/index.ts';
    const stores = [await startPlantStore(), await startPlantStore({ plants: 'garden' })];
    await fetch(stores[0].url);
    const signals = process.eventNames().filter((name) => /^SIG/.test(String(name)));
    await stores[0].close();
    // The other service is left open, as after a failed test.
    process.exit(signals.length);`;
  const args = ['--eval', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, TMPDIR, PLANTSTORE_PORT: 'not read' },
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout, stderr], [0, '', '']);
  assert.deepEqual(readdirSync(TMPDIR), []);
});
