/** `plantstore serve --demo` and its temporary database, in a separate process. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createClient, errorOf } from '../../harness/client.ts';
import { createDirectory } from '../../harness/directory.ts';
import { refusedWith, runCommand, runHere, serveProcess } from '../../harness/process.ts';

const { at, [Symbol.dispose]: removeAll } = createDirectory();
after(removeAll);
let folders = 0;

/** A temporary folder for one test, and the files in it. */
function temporaryFolder() {
  const TMPDIR = at(`tmp-${++folders}`);
  mkdirSync(TMPDIR);
  return { env: { TMPDIR }, files: () => readdirSync(TMPDIR, { recursive: true }) };
}

async function demo(env: NodeJS.ProcessEnv, ...args: string[]) {
  const service = await serveProcess(args.length > 0 ? args : ['--demo'], env);
  const client = createClient(service.url, 'demo');
  const stop = (signal: NodeJS.Signals) => {
    client.close();
    return service.stop(signal);
  };
  return { ...service, send: client.send, stop };
}

describe('a demo', { concurrency: 4 }, () => {
  test('contains exactly the garden, leaves the id of the first example free, and accepts the token demo', async () => {
    const service = await demo(temporaryFolder().env);
    const list = await service.send('GET', '/plants?limit=1000');
    const garden = readFileSync('src/plants/garden.json', 'utf8');
    assert.equal(list.text.replaceAll(/\s/g, ''), garden.replaceAll(/\s/g, ''));
    const first = await service.send('POST', '/plants', { body: '{"id":12,"name":"Aloe vera","tag":"succulent"}' });
    assert.deepEqual([first.status, (await service.send('GET', '/plants/12')).status], [200, 200]);
    assert.equal((await service.send('GET', '/plants/9007199254740993')).text.includes('9007199254740993'), true);
    assert.match(service.stdout(), /^curl '[^']+\/plants' -H 'Authorization: Bearer demo' /m);
    assert.match(service.stdout(), /Every web page that is open in your browser can read and change this demo\./);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('leaves room for as many sandboxes as --sandboxes allows', async () => {
    const service = await demo(temporaryFolder().env, '--demo', '--sandboxes', '1');
    const create = () => service.send('POST', '/sandboxes', { token: null, body: {} });
    assert.equal((await create()).status, 201);
    assert.equal(errorOf(await create()), 42901);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('is a sandbox that can be reset, but not deleted', async () => {
    const service = await demo(temporaryFolder().env);
    const refused = await service.send('DELETE', '/sandbox');
    assert.equal(errorOf(refused), 40021);
    assert.match(refused.text, /Reset it with POST \/sandbox\/reset/);
    assert.equal((await service.send('DELETE', '/plants/1')).status, 204);
    assert.equal((await service.send('POST', '/sandbox/reset')).status, 204);
    assert.equal((await service.send('GET', '/plants/1')).status, 200);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('names its token in the response to a request with no token or with another one', async () => {
    const service = await demo(temporaryFolder().env);
    for (const [authorization, error] of [
      ['', 40100],
      ['Bearer Demo', 40101],
      ['Bearer <token>', 40101],
      ['Bearer pss_0000', 40101],
    ] as const) {
      for (const path of ['/plants', '/sandbox']) {
        const refused = await service.send('GET', path, { headers: { Authorization: authorization } });
        assert.equal(errorOf(refused), error);
        assert.match(refused.text, /Authorization: Bearer demo\./);
      }
    }
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('logs every request, and errors with their number and message', async () => {
    const service = await demo(temporaryFolder().env);
    await service.send('GET', '/plants/12');
    assert.equal(await service.stop('SIGTERM'), 0);
    const lines = service.stderr().trim().split('\n');
    const [line] = lines.map((line) => JSON.parse(line)).filter(({ status }) => status !== undefined);
    assert.deepEqual([line.method, line.path, line.status, line.error], ['GET', '/plants/12', 404, 40401]);
    assert.match(line.why, /no plant/i);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`leaves no file after ${signal}`, async () => {
      const { env, files } = temporaryFolder();
      const service = await demo(env);
      assert.ok(files().some((file) => String(file).endsWith('plants.db')));
      assert.equal(await service.stop(signal), 0);
      assert.deepEqual(files(), []);
    });
  }

  test('deletes the files of a killed demo at its start, but not the files of a running demo', async () => {
    const { env, files } = temporaryFolder();
    const running = await demo(env);
    const killed = await demo(env, '--database', 'temporary');
    assert.equal(await killed.stop('SIGKILL'), null);
    const folders = () => files().filter((file) => !String(file).includes('/'));
    assert.equal(folders().length, 2);
    const next = await demo(env);
    assert.equal(folders().length, 2);
    const body = '{"id":12,"name":"Aloe vera"}';
    assert.equal((await running.send('POST', '/plants', { body })).status, 200);
    assert.equal((await next.send('GET', '/plants/12')).status, 404);
    assert.equal(await next.stop('SIGTERM'), 0);
    assert.equal((await running.send('GET', '/plants/12')).status, 200);
    assert.equal(await running.stop('SIGTERM'), 0);
    assert.deepEqual(files(), []);
  });

  test('starts beside the folder of a killed demo whose lock cannot be opened', async () => {
    const { env, files } = temporaryFolder();
    const folder = join(env.TMPDIR, 'plantstore-temporary-000000');
    mkdirSync(folder);
    writeFileSync(join(folder, 'lock.db'), 'This is no database.'.repeat(10));
    mkdirSync(join(env.TMPDIR, 'plantstore-temporary-111111', 'lock.db'), { recursive: true });
    const left = files();
    const service = await demo(env);
    assert.equal((await service.send('GET', '/plants/1')).status, 200);
    assert.equal(await service.stop('SIGTERM'), 0);
    assert.deepEqual(files(), left);
  });

  test('can run several times at the same time in one temporary folder', async () => {
    const { env, files } = temporaryFolder();
    const services = await Promise.all(Array.from({ length: 4 }, () => demo(env)));
    for (const service of services) assert.equal((await service.send('GET', '/plants/1')).status, 200);
    await Promise.all(services.map((service) => service.stop('SIGTERM')));
    assert.deepEqual(files(), []);
  });

  test('warns that its token is public if other machines can reach it', async () => {
    const service = await demo(temporaryFolder().env, '--demo', '--host', '0.0.0.0');
    assert.match(service.stdout(), /The token of a demo is public: everyone who can reach this address/);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('refuses options that contradict it, as flags and as environment variables', async () => {
    const excluded = {
      '--database': 'sqlite:p.db',
      '--tls-cert': 'c.pem',
      '--tls-key': 'k.pem',
      '--jwt-issuer': 'https://issuer.example',
      '--jwt-audience': 'plants',
      '--jwks-url': 'https://issuer.example/keys',
    };
    for (const [flag, value] of Object.entries(excluded)) {
      refusedWith(
        await runHere(['serve', '--demo', flag, value]),
        2,
        new RegExp(`${flag} cannot be given with --demo`),
      );
    }
    const PLANTSTORE_DATABASE = 'sqlite:p.db';
    refusedWith(await runHere(['serve', '--demo'], { PLANTSTORE_DATABASE }), 2, /PLANTSTORE_DATABASE cannot be given/);
    const PLANTSTORE_TOKEN = 'a-token-of-16-characters';
    refusedWith(await runHere(['serve', '--demo'], { PLANTSTORE_TOKEN }), 2, /PLANTSTORE_TOKEN cannot be given/);
  });

  test('accepts the token demo, which no other service accepts', async () => {
    const service = await demo(temporaryFolder().env, '--database', 'temporary');
    const response = await service.send('GET', '/plants');
    assert.deepEqual([response.status, errorOf(response)], [401, 40101]);
    assert.equal(await service.stop('SIGTERM'), 0);
    refusedWith(await runHere(['serve'], { PLANTSTORE_TOKEN: 'demo' }), 2, /16 to 512 characters/);
  });
});

test('import --garden stores the garden in any store, and not twice', async () => {
  const args = ['import', '--garden', '--store', 'school', '--database', `sqlite:${at('school.db')}`];
  assert.match((await runHere(args)).stdout, /^52 /);
  assert.match((await runHere(args)).stdout, /^0 .*52 /);
  refusedWith(await runHere([...args, 'plants.ndjson']), 2, /needs a file, or - for standard input, or --garden/);
  refusedWith(await runHere(['import']), 2, /needs a file, or - for standard input, or --garden/);
});

test('only serve takes a temporary database, and a database in memory is refused', async () => {
  refusedWith(await runHere(['check', '--database', 'temporary']), 2, /it must be sqlite:PATH/);
  refusedWith(await runHere(['serve', '--database', 'sqlite::memory:']), 2, /temporary/);
  const TMPDIR = at('nowhere');
  refusedWith(
    await runCommand(['serve', '--database', 'temporary'], { TMPDIR }),
    1,
    /database in .*nowhere \(TMPDIR\): no such file or directory \(ENOENT\); correct the path$/m,
  );
});

const isWindows = process.platform === 'win32';
test('a temporary folder whose path is too long for SQLite is refused, and stays empty', {
  skip: isWindows,
}, async () => {
  const TMPDIR = join(at('long'), 'l'.repeat(250), 'm'.repeat(250));
  mkdirSync(TMPDIR, { recursive: true });
  refusedWith(
    await runCommand(['serve', '--demo', '--port', '0'], { TMPDIR }),
    1,
    /database in .*m \(TMPDIR\): its path has \d+ bytes, and SQLite opens no path of more than 504; choose a shorter/,
  );
  assert.deepEqual(readdirSync(TMPDIR), []);
});
