/** `plantstore serve` as a process: its arguments, its output and its end. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generateToken } from '../../src/auth/token.ts';
import { prepareFile } from '../../src/stores/sqlite/database.ts';
import { createClient, errorOf } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import {
  PLANTSTORE,
  type Program,
  refusedWith,
  runCommand,
  runHere,
  SOURCES,
  serveProcess,
} from '../harness/process.ts';

const { at, [Symbol.dispose]: remove } = createDirectory();
after(remove);
const fixed = generateToken();
const ALOE = '{"id":1,"name":"Aloe"}';
let files = 0;
/** The path of a database that does not exist yet. */
const fresh = () => at(`plants-${++files}.db`);

/** Starts a service on a new database with a fixed token, and a client. `stop` ends both. */
async function begin(...args: string[]) {
  const database = args.includes('--database') ? [] : ['--database', `sqlite:${fresh()}`];
  const service = await serveProcess([...database, ...args], { PLANTSTORE_TOKEN: fixed });
  const client = createClient(service.url, fixed);
  const stop = (signal: NodeJS.Signals) => {
    client.close();
    return service.stop(signal);
  };
  return { ...service, port: Number(new URL(service.url).port), send: client.send, stop };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.on('error', () => resolve(false));
  });
}

/** Listens on a free port. */
async function holdPort(reusePort = false) {
  const holder = createServer().listen({ host: '127.0.0.1', port: 0, reusePort });
  await once(holder, 'listening');
  return { holder, port: String((holder.address() as AddressInfo).port) };
}

describe('serve', { concurrency: 4 }, () => {
  test('a start that must write fails with one line while another process locks the database', async () => {
    const path = fresh();
    prepareFile(path);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const finished = await runCommand(['serve', '--port', '0', '--database', `sqlite:${path}`]);
    assert.equal(finished.code, 1);
    assert.match(
      finished.stderr,
      /^plantstore: cannot use \S+: the store is locked by another process: database is locked\n$/m,
    );
    assert.doesNotMatch(finished.stderr, / at .*\.ts/, 'no stack');
    other.close();
  });

  test('the greeting has a curl line that stores a plant, also after a restart from another folder', async () => {
    const path = fresh();
    const cwd = at('.');
    const paste = async (line: string): Promise<[status: string, body: string]> => {
      const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -sS -w '\\n%{http_code}'`], { cwd });
      const [body = '', status = ''] = stdout.split('\n');
      return [status, body];
    };
    const first = await serveProcess(['--database', `sqlite:${path}`]);
    const [line = ''] = /^curl .*$/m.exec(first.stdout()) ?? [];
    assert.match(first.stdout(), new RegExp(`Data: ${path}\n`));
    assert.deepEqual(await paste(line), ['200', '{"name":"Aloe vera","tag":"succulent"}']);
    assert.equal(await first.stop('SIGTERM'), 0);

    const second = await serveProcess(['--database', `sqlite:${path}`], {}, { ...SOURCES, cwd });
    const again = line.replace(first.url, second.url);
    assert.equal(second.token, undefined, 'a token is shown once');
    const [another = ''] = /^TOKEN=.*\ncurl .*$/m.exec(second.stdout()) ?? [];
    assert.deepEqual(await paste(another), ['200', '{"name":"Aloe vera","tag":"succulent"}']);
    assert.deepEqual(await paste(again), ['200', '{"name":"Aloe vera","tag":"succulent"}']);
    const [status, body] = await paste(again.replace('Aloe vera', 'Agave'));
    assert.equal(status, '400');
    assert.equal(JSON.parse(body).error, 40009);
    assert.equal(await second.stop('SIGINT'), 0);
    assert.doesNotMatch(first.stderr() + second.stderr(), /pst_/, 'a token in the log');
    assert.equal(readFileSync(path).includes(first.token ?? 'none'), false, 'a token at rest');
  });

  test('the greeting quotes the curl line for every shell', async () => {
    const url = "http://[::1]:8080/it's(a)&b;c*$d";
    const service = await serveProcess(['--database', `sqlite:${fresh()}`, '--base-url', url]);
    const [line = ''] = /^curl .*$/m.exec(service.stdout()) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\n' "$1"; }; ${line}`]);
    assert.equal(stdout, `${url}/plants\n`);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('with --base-url the greeting and the log also contain the address that the service listens on', async () => {
    const service = await serveProcess(['--database', `sqlite:${fresh()}`, '--base-url', 'https://plants.example']);
    const [, listening = ''] = /^ {2}Listening on: (127\.0\.0\.1:\d+)$/m.exec(service.stdout()) ?? [];
    assert.equal((await fetch(`http://${listening}/healthz`)).status, 200);
    assert.equal(await service.stop('SIGTERM'), 0);
    const [started = '{}'] = service.stderr().split('\n');
    assert.equal(JSON.parse(started).listening, listening);
  });

  test('without --base-url a public service warns, and its description has a relative server', async () => {
    const open = ['--host', '0.0.0.0', '--database', `sqlite:${fresh()}`];
    const service = await serveProcess(open);
    assert.match(service.stdout(), /--base-url is not set/);
    const description = await fetch(`http://127.0.0.1:${new URL(service.url).port}/openapi.json`);
    assert.equal(JSON.parse(await description.text()).servers[0].url, '.');
    assert.equal(await service.stop('SIGTERM'), 0);
    for (const args of [[...open, '--base-url', 'https://plants.example'], open.slice(2)]) {
      const said = await serveProcess(args);
      assert.doesNotMatch(said.stdout(), /--base-url/);
      assert.equal(await said.stop('SIGTERM'), 0);
    }
  });

  test('the token in PLANTSTORE_TOKEN is valid, and no other token is created or shown', async () => {
    const service = await begin();
    assert.equal(service.token, undefined);
    assert.equal((await service.send('POST', '/plants', { body: ALOE })).status, 200);
    assert.equal((await service.send('GET', '/plants', { token: generateToken() })).status, 401);
    assert.equal(await service.stop('SIGTERM'), 0);
    assert.doesNotMatch(service.stderr(), /pst_/);
  });

  test('a port is shared only with --reuse-port, and --base-url sets the prefix of paths and links', {
    skip: process.platform !== 'linux' && 'this system may not share ports',
  }, async () => {
    const { holder: other, port } = await holdPort(true);
    const args = ['--port', port, '--base-url', `http://127.0.0.1:${port}/api`];
    const refused = await runHere(['serve', ...args, '--database', `sqlite:${fresh()}`]);
    refusedWith(refused, 1, /the port is taken; choose another with --port and --base-url$/m);
    const service = await begin(...args, '--reuse-port');
    await new Promise((resolve) => other.close(resolve));
    const { status, headers } = await service.send('POST', '/plants', { body: ALOE });
    assert.equal(await service.stop('SIGTERM'), 0);
    assert.deepEqual([status, headers.location], [200, `http://127.0.0.1:${port}/api/plants/1`]);
  });

  test('the options for body, header, connections and rate limit the service', async () => {
    const narrow = await begin('--max-body', '20', '--max-header', '1KiB');
    const refusals = [
      await narrow.send('POST', '/plants', { body: ALOE }),
      await narrow.send('GET', '/plants', { headers: { 'X-Padding': 'x'.repeat(1_024) } }),
    ];
    assert.equal(await narrow.stop('SIGTERM'), 0);
    assert.deepEqual(refusals.map(errorOf), [40003, 40006]);

    const shared = await begin('--max-connections', '1', '--rate-limit', '7/d');
    const { headers } = await shared.send('GET', '/plants');
    const further = connect(shared.port, '127.0.0.1').on('error', () => undefined);
    let received = '';
    further.on('data', (chunk) => {
      received += chunk;
    });
    await new Promise((resolve) => further.once('close', resolve));
    assert.equal(await shared.stop('SIGTERM'), 0);
    assert.equal(headers['ratelimit-policy'], '"default";q=7;w=86400');
    assert.equal(received, '', 'closed immediately, not after a time-out');
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} lets requests in progress finish, and the exit code is 0`, async () => {
      const service = await begin();
      // An idle connection.
      await service.send('GET', '/plants');
      const { socket, response } = await beginCreate(service.port);
      service.child.kill(signal);
      while (await listens(service.port)) await sleep(5);
      const stopped = once(service.child, 'exit');
      socket.write(ALOE);
      assert.deepEqual(await stopped, [0, null]);
      assert.match(response(), /HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*\{"name":"Aloe"\}$/);
      await service.stop(signal);
    });
  }

  test('clients that hold connections leave open files for the service', {
    skip: process.platform !== 'linux' && 'only Linux shows the limit of open files',
  }, async () => {
    const limited: Program = { command: ['sh', '-c', 'ulimit -n 200; exec "$0" "$@"', PLANTSTORE] };
    const args = ['--database', `sqlite:${fresh()}`, '--sandboxes', '10'];
    await using service = await serveProcess(args, { PLANTSTORE_TOKEN: fixed }, limited);
    assert.match(service.stderr(), /"maxConnections":100,"msg":"the limit of open files is too low for --max-conn/);
    const client = createClient(service.url, fixed);
    assert.equal((await client.send('GET', '/plants')).status, 200);
    const port = Number(new URL(service.url).port);
    const sockets = Array.from({ length: 250 }, () => connect(port, '127.0.0.1'));
    // Each gets a response, or the service closes it.
    const held = await Promise.all(
      sockets.map((socket) => {
        socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
        socket.on('error', () => undefined);
        return new Promise((resolve) => socket.on('data', () => resolve(true)).on('close', () => resolve(false)));
      }),
    );
    assert.equal(held.filter(Boolean).length, 99);
    // Both need a file of the service.
    assert.equal((await client.send('POST', '/sandboxes', { token: null, body: { plants: 'garden' } })).status, 201);
    assert.equal((await client.send('GET', '/openapi.json', { token: null })).status, 200);
    for (const socket of sockets) socket.destroy();
    client.close();
  });

  test('a stop waits for requests in progress, but no longer than --drain-timeout', async () => {
    const service = await begin('--drain-timeout', '300ms', '--request-timeout', '60s');
    await beginCreate(service.port);
    // Sooner than the default of 10 s.
    const ended = await Promise.race([service.stop('SIGTERM'), sleep(8_000, 'still waiting', { ref: false })]);
    assert.equal(ended, 0);
  });

  test('a second signal, even a different one, ends the service immediately', async () => {
    const stopTwice = async ([first, second]: readonly [NodeJS.Signals, NodeJS.Signals]) => {
      const service = await begin();
      await beginCreate(service.port);
      service.child.kill(first);
      while (await listens(service.port)) await sleep(5);
      // Repeated, since a signal directly after the first does not count as a second one.
      const again = setInterval(() => service.child.kill(second), 50);
      assert.equal(await service.stop(second), null, `${first}, then ${second}`);
      clearInterval(again);
    };
    const pairs = [
      ['SIGTERM', 'SIGINT'],
      ['SIGINT', 'SIGTERM'],
      ['SIGTERM', 'SIGTERM'],
    ] as const;
    await Promise.all(pairs.map(stopTwice));
  });

  test('Ctrl-C below npm start arrives twice but counts once: requests in progress finish', async () => {
    const service = await begin();
    const { socket, response } = await beginCreate(service.port);
    service.child.kill('SIGINT');
    while (await listens(service.port)) await sleep(5);
    const stopped = service.stop('SIGINT');
    socket.write(ALOE);
    assert.equal(await stopped, 0);
    assert.match(response(), /HTTP\/1\.1 200 OK\r\n[\s\S]*\{"name":"Aloe"\}$/);
  });

  test('the error for a taken port contains the address of the listener', async () => {
    const { holder, port } = await holdPort();
    const taken = `127.0.0.1:${port}`;
    for (const args of [
      ['--port', port],
      ['--host', '127.0.0.2', '--port', '0', '--admin', taken],
    ]) {
      const finished = await runHere(['serve', ...args, '--database', `sqlite:${fresh()}`]);
      const line = `cannot listen on ${taken}: the port is taken; choose another with ${args.at(-2)}\n`;
      refusedWith(finished, 1, new RegExp(line));
    }
    holder.close();
  });

  test('a host that does not exist, or is not on this machine, fails with one line and exit code 1', async () => {
    for (const [host, line] of [
      ['garden.invalid', /cannot listen on garden\.invalid: (no such host; |EAI_AGAIN)/],
      ['192.0.2.1', /192\.0\.2\.1:0: this machine does not have the address; choose one of its own with --host/],
      ['2001:db8::1', /cannot listen on \[2001:db8::1\]:0: this machine /],
    ] as const) {
      refusedWith(await runHere(['serve', '--host', host, '--port', '0', '--database', `sqlite:${fresh()}`]), 1, line);
    }
  });

  test('a start on a store with tokens writes nothing and does not wait for other writers', async () => {
    const path = fresh();
    assert.equal((await runHere(['token', 'create', '--create', '--database', `sqlite:${path}`])).code, 0);
    const other = new DatabaseSync(path);
    const revision = () => other.prepare('PRAGMA data_version').get();
    const before = revision();
    other.exec('BEGIN IMMEDIATE');
    const service = await serveProcess(['--database', `sqlite:${path}`]);
    assert.equal(service.token, undefined);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    other.exec('ROLLBACK');
    assert.deepEqual(revision(), before);
    other.close();
    assert.equal(await service.stop('SIGTERM'), 0);
  });
});

/** Sends the head of POST /plants. Resolves when the service waits for the body. */
async function beginCreate(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let response = '';
  socket.on('data', (chunk) => {
    response += chunk;
  });
  socket.write(
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fixed}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${ALOE.length}\r\n\r\n`,
  );
  while (!response.includes('100 Continue')) await sleep(5);
  return { socket, response: () => response };
}
