/** The library, which starts services in the process of another program's tests. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mock, test } from 'node:test';
import { generate } from 'selfsigned';
import { startPlantStore } from '../../lab/index.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';

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
    '[{"id":-9223372036854775808,"name":""},{"id":12,"name":"Aloe vera","tag":"succulent"},' +
      '{"id":9007199254740993,"name":"蘭"}]',
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

test('a function for the log that throws fails the program, not the request', () => {
  const program = `
    import { startPlantStore } from './lab/index.ts';
    process.on('uncaughtException', ({ message }) => console.log(message));
    const log = () => {
      throw new Error('of the log');
    };
    const store = await startPlantStore({ args: ['--access-log'], log });
    const { status } = await fetch(store.url + '/plants', { headers: { Authorization: 'Bearer ' + store.token } });
    console.log(status);
    await store.close();`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module'], { input: program, encoding: 'utf8' });
  assert.deepEqual(stdout.trim().split('\n').sort(), ['200', 'of the log']);
});

test('rules that are added at the same time all apply, in the order of the calls', async () => {
  await using store = await startPlantStore({ sandboxes: true });
  const { url, token, fail } = await store.sandbox();
  const statuses = [503, 429, 500, 503];
  await Promise.all(statuses.map((status) => fail({ fault: { kind: 'status', status }, times: 1 })));
  const seen: number[] = [];
  for (const _ of [...statuses, 200]) {
    seen.push((await fetch(`${url}/plants`, { headers: { Authorization: `Bearer ${token}` } })).status);
  }
  assert.deepEqual(seen, [...statuses, 200]);
});

test('a rule is added also after a rule that was refused', async () => {
  await using store = await startPlantStore({ sandboxes: true });
  const { url, token, fail } = await store.sandbox();
  const refused = assert.rejects(fail({ fault: { kind: 'status', status: 418 } }));
  await fail({ fault: { kind: 'status', status: 503 } });
  await refused;
  assert.equal((await fetch(`${url}/plants`, { headers: { Authorization: `Bearer ${token}` } })).status, 503);
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
  // The rules before it stay used up.
  await one.fail({ fault: { kind: 'status', status: 500 }, times: 1 });
  assert.deepEqual([await list(one), await list(one)], [500, 0]);
  assert.deepEqual(
    (await one.requests()).map(({ method, target, status }) => [method, target, status]),
    [503, 429, 200, 500, 200].map((status) => ['GET', '/plants', status]),
  );
  await one.reset();
  assert.deepEqual(await one.requests(), []);
  await assert.rejects(
    one.fail({ fault: { kind: 'status', status: 418 } }),
    /^Error: PUT \/sandbox\/faults: 0\.fault: /,
  );
  await using plain = await startPlantStore();
  await assert.rejects(plain.sandbox(), { message: /^sandbox\(\): .* startPlantStore\(\{ sandboxes: true \}\)$/ });
});

test('a sandbox works over HTTPS with a certificate that only the test trusts', async () => {
  using directory = createDirectory();
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
  const [certFile, keyFile] = [directory.at('cert.pem'), directory.at('key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const args = ['--tls-cert', certFile, '--tls-key', keyFile];
  await using store = await startPlantStore({ sandboxes: true, args });
  const sandbox = await store.sandbox({ plants: [{ id: 12, name: 'Aloe vera' }] });
  assert.match(sandbox.url, /^https:/);
  await sandbox.fail({ fault: { kind: 'reset' } });
  assert.deepEqual(await sandbox.requests(), []);
});

test('a service behind a proxy makes its sandboxes without the proxy', async () => {
  await using store = await startPlantStore({ sandboxes: true, args: ['--base-url', 'https://plants.invalid/api'] });
  const sandbox = await store.sandbox({ plants: [{ id: 12, name: 'Aloe vera' }] });
  assert.equal(sandbox.url, 'https://plants.invalid/api');
  assert.deepEqual(await sandbox.requests(), []);
});

test('a clock that a test has set does not end its sandbox', async () => {
  mock.timers.enable({ apis: ['Date'] });
  try {
    await using store = await startPlantStore({ sandboxes: true });
    const sandbox = await store.sandbox();
    mock.timers.setTime(Date.parse('2099-01-01'));
    assert.deepEqual(await sandbox.requests(), []);
  } finally {
    mock.timers.reset();
  }
});

test('a sandbox can start with plants of the test, and a reset restores them', async () => {
  await using store = await startPlantStore({ sandboxes: true });
  const { url, token, requests, reset } = await store.sandbox({ plants: exact, ttl: 60 });
  const client = createClient(url, token);
  const list = async () => (await client.send('GET', '/plants')).text;
  assert.deepEqual(await requests(), []);
  const first = await list();
  assert.match(first, /^\[\{"id":-9223372036854775808,"name":""\},.*\{"id":9007199254740993,"name":"蘭"\}\]$/);
  await client.send('DELETE', '/plants/12');
  await reset();
  assert.equal(await list(), first);
  const { createdAt, expiresAt } = (await client.send('GET', '/sandbox')).json() as Record<string, string>;
  assert.ok(Date.parse(expiresAt ?? '') - Date.parse(createdAt ?? '') <= 60_000);
  client.close();
  await assert.rejects(store.sandbox({ plants: [{ id: 'x', name: 'Aloe' }] }), {
    message: /^plants\[0\]: id must be /,
  });
});

test('an id is exact as a bigint or as a string, and a number that may not be exact is refused', async () => {
  await using store = await startPlantStore({ sandboxes: true, plants: [{ id: '9007199254740993', name: 'Aloe' }] });
  const client = createClient(store.url, store.token);
  assert.equal((await client.send('GET', '/plants')).text, '[{"id":9007199254740993,"name":"Aloe"}]');
  client.close();
  const message = /^\S+: a number cannot be exact beyond 2\^53 - 1; write \d+ as a bigint or a string$/;
  for (const id of [2 ** 53, -(2 ** 53), 2 ** 62]) {
    await assert.rejects(startPlantStore({ plants: [{ id, name: 'Aloe' }] }), { message: /beyond 2\^53 - 1/ });
  }
  const sandbox = await store.sandbox();
  const fault = { kind: 'status', status: 503 } as const;
  await assert.rejects(sandbox.fail({ fault, match: { id: 2 ** 53 } }), { message });
  await assert.rejects(sandbox.fail({ fault, match: { id: 'twelve' } }), {
    message: 'match.id: it must be an integer',
  });
  await sandbox.fail({ fault, match: { id: 2n ** 53n + 1n } });
  await sandbox.fail({ fault, match: { id: '9007199254740995' } });
  const inside = createClient(sandbox.url, sandbox.token);
  const statuses = [];
  for (const last of [2, 3, 4, 5]) statuses.push((await inside.send('GET', `/plants/900719925474099${last}`)).status);
  assert.deepEqual(statuses, [404, 503, 404, 503]);
  inside.close();
});

test('a mistyped option of a sandbox is refused', async () => {
  await using store = await startPlantStore({ sandboxes: true });
  const message = 'sandbox(): there is no option tll (did you mean ttl?)';
  await assert.rejects(store.sandbox({ tll: 60 } as object), { message });
});

test('an option in `args` takes precedence over a default of the library', async () => {
  await using store = await startPlantStore({ sandboxes: true, args: ['--sandboxes', '1'] });
  await store.sandbox();
  await assert.rejects(store.sandbox(), /^Error: POST \/sandboxes: /);
});

test('a wrong option rejects with an Error in one line that names the option', async () => {
  const refused = [
    [{ plants: 'gardens' as 'garden' }, /^plants: it must be 'none', 'garden' or an array of plants$/],
    [{ plants: [{ id: 1.5, name: 'Aloe' }] }, /^plants\[0\]: id must be an integer from -?\d+ to \d+$/],
    [
      { plants: [exact[1], null] as typeof exact },
      /^plants\[1\]: it must be a plant, such as \{ id: 1, name: 'Aloe vera' \}$/,
    ],
    [{ token: 12 as unknown as string }, /^token: it must be a string$/],
    [{ args: ['--port', 8080] as unknown as string[] }, /^args\[1\]: it must be a string$/],
    [{ args: '--events' as unknown as string[] }, /^args: it must be an array of strings$/],
    [{ log: console as unknown as () => void }, /^log: it must be a function$/],
    [{ plants: [exact[1], { id: 12, name: 'Agave' }] as typeof exact }, /^plants\[1\]: another plant has the id 12$/],
    [{ token: 'too short' }, /^token: it must be 16 to 512 characters[^\n]*$/],
    [{ args: ['--prot', '1'] }, /^unknown option --prot \(did you mean --port\?\)[^\n]*$/],
    [{ args: ['--tls-cert', 'cert.pem'] }, /^--tls-cert and --tls-key need each other$/],
    [{ args: ['--jwt-issuer', 'https://login.example'] }, /^--jwt-issuer and --jwt-audience need each other/],
    [{ args: ['--fault', 'delay;ms=1'] }, /^--fault cannot be given without --demo/],
    [{ args: ['--variants', '1'] }, /^--variants needs --defect$/],
    [{ args: ['--defect', 'wrong-name'] }, /^--defect: there is no such defect/],
    [{ args: ['--demo'] }, /^args: --demo is an option of the command; use plants: 'garden' instead$/],
    [{ plnts: 'garden' } as object, /^startPlantStore\(\): there is no option plnts \(did you mean plants\?\)$/],
    [
      { args: ['--host', '203.0.113.1'] },
      /^cannot listen on 203\.0\.113\.1:0: this machine does not have the address; [^\n]+ --host$/,
    ],
  ] as const;
  for (const [options, message] of refused) await assert.rejects(startPlantStore(options), { message });
});

test('each call of close() waits until the service has stopped', async () => {
  using directory = createDirectory();
  const { close } = await startPlantStore({ args: ['--database', `sqlite:${directory.at('plants.db')}`] });
  const first = close();
  await close();
  // An open database has more files.
  assert.deepEqual(readdirSync(directory.path), ['plants.db']);
  await first;
});

test('a service prints nothing, adds no signal handler, and leaves no file when its process exits', () => {
  using directory = createDirectory();
  const TMPDIR = directory.at('tmp');
  mkdirSync(TMPDIR);
  const program = `
    import { startPlantStore } from './lab/index.ts';
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

test('a program on the command line or from standard input can use the library', () => {
  const input = `
    import { startPlantStore } from './lab/index.ts';
    const { close } = await startPlantStore({ plants: 'garden' });
    await close();`;
  for (const args of [['--input-type=module'], ['--input-type', 'module'], ['--input-type=module', '--eval', input]]) {
    const { status, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, ''], args.join(' '));
  }
});

test('a module that a flag of Node loads before the program can start a service', () => {
  using directory = createDirectory();
  const library = new URL('../../lab/index.ts', import.meta.url);
  writeFileSync(
    directory.at('setup.mjs'),
    `import { startPlantStore } from '${library}';
    globalThis.store = await startPlantStore({ plants: 'garden' });`,
  );
  const program = `
    console.log((await fetch(store.url + '/healthz')).status);
    await store.close();`;
  const args = ['--import', directory.at('setup.mjs'), '--input-type=module', '--eval', program];
  // Without an end, thread after thread would load the module.
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
  assert.deepEqual([status, stdout], [0, '200\n']);
});

test('a sandbox needs neither the fetch that a test has replaced, nor a proxy', () => {
  const input = `
    import { startPlantStore } from './lab/index.ts';
    globalThis.fetch = () => Promise.reject(new Error('this fetch is fake'));
    const { sandbox, close } = await startPlantStore({ sandboxes: true });
    const { fail, requests, reset } = await sandbox({ plants: [{ id: 12, name: 'Aloe vera' }] });
    await fail({ fault: { kind: 'reset' } });
    await reset();
    console.log(await requests());
    await close();`;
  const proxy = 'http://127.0.0.1:9';
  const proxies = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: '', no_proxy: '' };
  const env = { ...process.env, ...proxies };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], {
    input,
    env,
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout, stderr], [0, '[]\n', '']);
});
