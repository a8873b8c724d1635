/** `plantstore serve` as its users meet it: a process, its arguments, its output and its end. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generateToken } from '../../src/auth/token.ts';
import { baseUrl, keysUrl } from '../../src/cli/values.ts';
import { prepareFile } from '../../src/stores/sqlite/database.ts';
import { createClient, errorOf } from '../harness/client.ts';
import { digestsIn } from '../harness/directory.ts';
import { refusedWith, runCommand, runHere, serveProcess } from '../harness/process.ts';

const directory = mkdtempSync(join(tmpdir(), 'plantstore-cli-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const fixed = generateToken();
const ALOE = '{"id":1,"name":"Aloe"}';
let files = 0;
/** The path of a database that is not there yet. */
const fresh = () => join(directory, `plants-${++files}.db`);

/** A service on a new database with a fixed token, and a client of it; `stop` ends both. */
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

/** Takes a free port and holds it. */
async function holdPort(reusePort = false) {
  const holder = createServer().listen({ host: '127.0.0.1', port: 0, reusePort });
  await once(holder, 'listening');
  return { holder, port: String((holder.address() as AddressInfo).port) };
}

describe('the command line', { concurrency: 2 }, () => {
  test('--version tells the version', async () => {
    assert.deepEqual(await runCommand(['--version']), { code: 0, stdout: '1.0.0\n', stderr: '' });
  });

  test('--help names every command, and every option of serve with its default', async () => {
    const overview = await runCommand(['--help']);
    assert.deepEqual([overview.code, overview.stderr], [0, '']);
    assert.match(overview.stdout, /^ {2}serve\b/m);
    const help = await runCommand(['serve', '--help']);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /--port NUMBER .*\(default 8080, or \$PORT\)/);
    assert.match(help.stdout, /--database URL .*\(default sqlite:data\/plants\.db, or \$DATABASE_URL\)/);
    assert.match(help.stdout, /PLANTSTORE_TOKEN=/);
    assert.doesNotMatch(help.stdout, /--token\b/);
  });

  type Wrong = [what: string, args: string[], env: NodeJS.ProcessEnv, line: RegExp];
  const ISSUER = ['--jwt-issuer', 'https://issuer.example'];
  const AUDIENCE = ['--jwt-audience', 'plants'];
  const wrong: readonly Wrong[] = [
    ['no command', [], {}, /a command is missing/],
    ['an unknown command', ['grow'], {}, /there is no command "grow"/],
    ['an unknown option', ['serve', '--colour', 'green'], {}, /unknown option --colour/],
    ['something that may be secret for a command', ['postgres://u:hunter2@h/d'], {}, /there is no such command/],
    ['a positional argument', ['serve', 'postgres://u:hunter2@h/d'], {}, /unexpected argument: the command takes none/],
    ['an option without a value', ['serve', '--port'], {}, /--port needs a value/],
    ['an option given twice', ['serve', '--port', '1', '--port', '2'], {}, /--port must be given once/],
    ['a port that is no number', ['serve', '--port', 'http'], {}, /--port: it must be an integer from 0 to 65535/],
    ['a port beyond the last', ['serve', '--port', '65536'], {}, /--port: /],
    ['a wrong variable', ['serve'], { PLANTSTORE_PORT: '-1' }, /PLANTSTORE_PORT: /],
    ['a wrong PORT', ['serve'], { PORT: 'x' }, /^plantstore: PORT: /],
    ['a database of an unknown kind', ['serve', '--database', 'mysql://u:hunter2@h/d'], {}, /--database: /],
    ['a base URL with a slash at its end', ['serve', '--base-url', 'https://h/p/'], {}, /--base-url: /],
    ['a base URL that is no ASCII', ['serve', '--base-url', 'https://h/日本'], {}, /--base-url: .*percent-encoded/],
    ['an invalid base URL', ['serve', '--base-url', 'garden'], {}, /--base-url: /],
    ['a time without a unit', ['serve', '--request-timeout', '10'], {}, /--request-timeout: .*10s/],
    ['a size of zero', ['serve', '--max-body', '0'], {}, /--max-body: /],
    ['an unknown level', ['serve', '--log-level', 'loud'], {}, /--log-level: .*debug/],
    ['a certificate without its key', ['serve', '--tls-cert', 'x.pem'], {}, /--tls-cert and --tls-key go together/],
    ['a token that is too short', ['serve'], { PLANTSTORE_TOKEN: 'hunter2' }, /: it must be 16 to 512 characters/],
    ['a password where a name should be', ['serve', '--database:postgres://u:hunter2@h'], {}, /: unknown option;/],
    ['a token as a flag', ['serve', '--token', fixed], {}, /unknown option --token/],
    ['a token that is mistyped', ['serve'], { PLANTSTORE_TOKEN: `pst_${'0'.repeat(37)}` }, /its checksum is wrong/],
    ['a token like a JWT', ['serve'], { PLANTSTORE_TOKEN: 'eyJhIjox.hunter2.x' }, /it must not look like a JWT/],
    ['an issuer without its audience', ['serve', ...ISSUER], {}, /--jwt-issuer and --jwt-audience go together/],
    ['an audience without its issuer', ['serve', ...AUDIENCE], {}, /--jwt-issuer and --jwt-audience go together/],
    ['keys without an issuer', ['serve', '--jwks-url', 'https://h/keys'], {}, /go together/],
    ...['http://h', 'https://h/?a=b', 'https://user@h', 'https://:hunter2@h', 'https://h/#a'].map(
      (url): Wrong => [
        `the issuer ${url}`,
        ['serve', '--jwt-issuer', url, ...AUDIENCE],
        {},
        /--jwt-issuer: it must be an https URL/,
      ],
    ),
    [
      'keys of another host by plain http',
      ['serve', ...ISSUER, ...AUDIENCE, '--jwks-url', 'http://127.0.0.1.evil.example/'],
      {},
      /--jwks-url: it must be an https URL/,
    ],
    ['a type of two words', ['serve', ...ISSUER, ...AUDIENCE, '--jwt-typ', 'a b'], {}, /--jwt-typ: it must be a type/],
    ...['0/s', '100', '100/w', '100/2d', '1.5/s'].map(
      (rate): Wrong => [
        `the rate ${rate}`,
        ['serve', '--rate-limit', rate],
        {},
        /--rate-limit: it must be a number of requests in a time/,
      ],
    ),
  ];
  for (const [what, args, env, line] of wrong) {
    test(`${what} ends with 2 and one line, which repeats no secret`, async () => {
      const finished = await runHere(args, env);
      refusedWith(finished, 2, line);
      assert.doesNotMatch(finished.stderr, /hunter2|pst_/);
    });
  }
});

test('keys may come by plain http from this machine, whatever it is called', () => {
  for (const url of ['http://localhost:1/keys', 'http://127.1.2.3/keys', 'http://[::1]:1/keys']) {
    assert.equal(keysUrl(url), url);
  }
});

test('a base URL is taken as it is if it is a valid URI, and refused otherwise', () => {
  for (const url of ["https://Plants.example:8443/%E6%97%A5/a;b=c!$&'()*+,:~_-.d", 'http://[::1]:1', 'HTTPS://h']) {
    assert.equal(baseUrl(url), url);
  }
  const paths = ['a b', 'a\r\nb', 'a|b', '100%', 'a/../b', './a', 'a\\b', 'a"b', '<a>'];
  const others = ['https://gärten.example', 'https://a b', 'https:h', 'https://', 'https://[1', 'ftp://h'];
  for (const url of [...paths.map((path) => `https://h/${path}`), ...others]) {
    assert.throws(() => baseUrl(url), /must be an http or https URL/, url);
  }
});

describe('serve', { concurrency: 4 }, () => {
  test('a start that needs to write, while another process does for long, ends with one line and 1', async () => {
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

  test('prints a curl line that stores a plant when pasted, again after a restart, and 40009 with another name', async () => {
    const path = fresh();
    const paste = async (line: string): Promise<[status: string, body: string]> => {
      const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -sS -w '\\n%{http_code}'`]);
      const [body = '', status = ''] = stdout.split('\n');
      return [status, body];
    };
    const first = await serveProcess(['--database', `sqlite:${path}`]);
    const [line = ''] = /^curl .*$/m.exec(first.stdout()) ?? [];
    assert.match(first.stdout(), new RegExp(`Data: ${path}\n`));
    assert.deepEqual(await paste(line), ['200', '{"name":"Aloe vera","tag":"succulent"}']);
    assert.equal(await first.stop('SIGTERM'), 0);

    const second = await serveProcess(['--database', `sqlite:${path}`]);
    const again = line.replace(first.url, second.url);
    assert.equal(second.token, undefined, 'a token is shown once');
    assert.doesNotMatch(second.stdout(), /curl/);
    assert.deepEqual(await paste(again), ['200', '{"name":"Aloe vera","tag":"succulent"}']);
    const [status, body] = await paste(again.replace('Aloe vera', 'Agave'));
    assert.equal(status, '400');
    assert.equal(JSON.parse(body).error, 40009);
    assert.equal(await second.stop('SIGINT'), 0);
    assert.doesNotMatch(first.stderr() + second.stderr(), /pst_/, 'a token in the log');
    assert.equal(readFileSync(path).includes(first.token ?? 'none'), false, 'a token at rest');
  });

  test('prints a curl line that every shell leaves as it is', async () => {
    const url = "http://[::1]:8080/it's(a)&b;c*$d";
    const service = await serveProcess(['--database', `sqlite:${fresh()}`, '--base-url', url]);
    const [line = ''] = /^curl .*$/m.exec(service.stdout()) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\n' "$1"; }; ${line}`]);
    assert.equal(stdout, `${url}/plants\n`);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('takes flags over its own variables over those of platforms over defaults', async () => {
    const [flag, own, platform] = [fresh(), fresh(), fresh()];
    const env = { DATABASE_URL: `sqlite:${platform}`, PLANTSTORE_TOKEN: fixed, PLANTSTORE_HOST: '' };
    for (const [args, extra, location] of [
      [[], {}, platform],
      [[], { PLANTSTORE_DATABASE: `sqlite:${own}` }, own],
      [['--database', `sqlite:${flag}`], { PLANTSTORE_DATABASE: `sqlite:${own}` }, flag],
    ] as const) {
      const service = await serveProcess(args, { ...env, ...extra });
      assert.match(service.stdout(), new RegExp(`Data: ${location}\n`));
      assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(await service.stop('SIGTERM'), 0);
    }
  });

  test('a token of PLANTSTORE_TOKEN is in force, and no other is made or shown', async () => {
    const service = await begin();
    assert.equal(service.token, undefined);
    assert.equal((await service.send('POST', '/plants', { body: ALOE })).status, 200);
    assert.equal((await service.send('GET', '/plants', { token: generateToken() })).status, 401);
    assert.equal(await service.stop('SIGTERM'), 0);
    assert.doesNotMatch(service.stderr(), /pst_/);
  });

  test('a port is shared with --reuse-port alone, and --base-url is where the service answers and links lead', {
    skip: process.platform !== 'linux' && 'this system may not share ports',
  }, async () => {
    const { holder: other, port } = await holdPort(true);
    const args = ['--port', port, '--base-url', `http://127.0.0.1:${port}/api`];
    refusedWith(await runHere(['serve', ...args, '--database', `sqlite:${fresh()}`]), 1, /the port is taken/);
    const service = await begin(...args, '--reuse-port');
    await new Promise((resolve) => other.close(resolve));
    const { status, headers } = await service.send('POST', '/plants', { body: ALOE });
    assert.equal(await service.stop('SIGTERM'), 0);
    assert.deepEqual([status, headers.location], [200, `http://127.0.0.1:${port}/api/plants/1`]);
  });

  test('the limits that are given are those in force: body, header, connections and rate', async () => {
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
    assert.equal(received, '', 'closed at once, and not when it was late');
  });

  test('long responses that nobody reads are bounded by --max-unread', async () => {
    const path = fresh();
    const text = '\u0001'.repeat(1_024);
    const plants = Array.from({ length: 1_000 }, (_, id) => `${JSON.stringify({ id, name: text, tag: text })}\n`);
    const file = join(directory, 'long.ndjson');
    writeFileSync(file, plants.join(''));
    assert.equal((await runHere(['import', file, '--database', `sqlite:${path}`])).code, 0);
    const service = await begin('--database', `sqlite:${path}`, '--max-unread', '16MiB');
    // Of 12 MB each: there is room for one.
    const list = '/plants?limit=1000';
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`GET ${list} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fixed}\r\n\r\n`);
    await once(socket, 'readable');
    const refused = await service.send('GET', list);
    socket.destroy();
    assert.equal(await service.stop('SIGTERM'), 0);
    assert.equal(errorOf(refused), 50301);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`finishes what is under way at ${signal} and ends with 0`, async () => {
      const service = await begin();
      // Keeps its connection, on which nothing is under way.
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

  test('what is under way at a stop is waited for as long as --drain-timeout says', async () => {
    const service = await begin('--drain-timeout', '300ms', '--request-timeout', '60s');
    await beginCreate(service.port);
    // Within the 10 s that are waited where nothing is said.
    const ended = await Promise.race([service.stop('SIGTERM'), sleep(8_000, 'still waiting', { ref: false })]);
    assert.equal(ended, 0);
  });

  test('a second signal ends it at once, also where it is another one than the first', async () => {
    const stopTwice = async ([first, second]: readonly [NodeJS.Signals, NodeJS.Signals]) => {
      const service = await begin();
      await beginCreate(service.port);
      service.child.kill(first);
      while (await listens(service.port)) await sleep(5);
      // Again and again: what comes at once after the first is no second one.
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

  test('a signal that comes twice at once, as a Ctrl-C below npm start does, is one: what is under way is finished', async () => {
    const service = await begin();
    const { socket, response } = await beginCreate(service.port);
    service.child.kill('SIGINT');
    while (await listens(service.port)) await sleep(5);
    const stopped = service.stop('SIGINT');
    socket.write(ALOE);
    assert.equal(await stopped, 0);
    assert.match(response(), /HTTP\/1\.1 200 OK\r\n[\s\S]*\{"name":"Aloe"\}$/);
  });

  test('the reported address is that of the listener whose port is taken', async () => {
    const { holder, port } = await holdPort();
    const taken = `127.0.0.1:${port}`;
    for (const args of [
      ['--port', port],
      ['--host', '127.0.0.2', '--port', '0', '--admin', taken],
    ]) {
      const finished = await runHere(['serve', ...args, '--database', `sqlite:${fresh()}`]);
      refusedWith(finished, 1, new RegExp(`cannot listen on ${taken}: the port is taken`));
    }
    holder.close();
  });

  test('a host that does not exist, or is not of this machine, is one line and 1', async () => {
    for (const [host, line] of [
      ['garden.invalid', /cannot listen on garden\.invalid: (ENOTFOUND|EAI_AGAIN)/],
      ['192.0.2.1', /cannot listen on 192\.0\.2\.1:0: EADDRNOTAVAIL/],
      ['2001:db8::1', /cannot listen on \[2001:db8::1\]:0: E/],
    ] as const) {
      refusedWith(await runHere(['serve', '--host', host, '--port', '0', '--database', `sqlite:${fresh()}`]), 1, line);
    }
  });

  test('a start on a store that has tokens writes nothing, and does not wait for other writers', async () => {
    const path = fresh();
    assert.equal((await runHere(['token', 'create', '--database', `sqlite:${path}`])).code, 0);
    const other = new DatabaseSync(path);
    const revision = () => other.prepare('SELECT revision FROM revisions').get();
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

describe('a place where the data cannot be kept', () => {
  const serve = (path: string) => runHere(['serve', '--port', '0', '--database', `sqlite:${path}`]);
  const sound = fresh();
  before(async () => {
    const file = join(directory, 'sound.ndjson');
    const plants = Array.from({ length: 400 }, (_, id) => JSON.stringify({ id, name: 'a'.repeat(500) }));
    writeFileSync(file, plants.join('\n'));
    assert.equal((await runHere(['import', file, '--database', `sqlite:${sound}`])).code, 0);
  });
  const made = (change: (path: string) => void) => (path: string) => {
    copyFileSync(sound, path);
    change(path);
  };
  const sql = (statements: string) => (path: string) => {
    const database = new DatabaseSync(path);
    database.exec(statements);
    database.close();
  };
  const written = (bytes: string | Buffer) => (path: string) => writeFileSync(path, bytes);
  const header = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_080, 0xff)]);
  const overwrite = (path: string) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xa5, 20_480, 28_672));
  };
  // As another program may leave it: opening it the usual way would turn its log on, and so touch it.
  const newer = 'PRAGMA user_version = 999; PRAGMA journal_mode = DELETE';

  const files: readonly [what: string, make: (path: string) => void, line: RegExp][] = [
    ['a text file', written('These are my notes. '.repeat(100)), /is not a SQLite database/],
    ['a short file', written('x'), /is not a SQLite database/],
    ['random bytes', written(Buffer.alloc(8_192, 0xa5)), /is not a SQLite database/],
    ['a header of SQLite with nothing behind it', written(header), /another application|damaged/],
    [
      'a database of another application',
      sql('CREATE TABLE plants (mine TEXT); PRAGMA user_version = 1'),
      /another application/,
    ],
    ['a database of ours cut short', made((path) => truncateSync(path, 40_960)), /is damaged/],
    ['a database of ours with a page overwritten', made(overwrite), /is damaged/],
    ['a database of a newer version', made(sql(newer)), /newer version/],
    ['a directory', (path) => mkdirSync(path), /it is not a file$/m],
    ['a named pipe', (path) => execFileSync('mkfifo', [path]), /it is not a file$/m],
  ];
  for (const [what, make, line] of files) {
    test(`${what}: one line, 1, and nothing touched`, async () => {
      const parent = mkdtempSync(join(directory, 'place-'));
      const path = join(parent, 'plants.db');
      make(path);
      const look = statSync(path).isFile() ? digestsIn : (folder: string) => readdirSync(folder);
      const before = look(parent);
      refusedWith(await serve(path), 1, line);
      assert.deepEqual(look(parent), before);
    });
  }

  test('a path below a file: one line, 1, and nothing touched', async () => {
    const path = fresh();
    writeFileSync(path, 'notes');
    refusedWith(await serve(join(path, 'plants.db')), 1, /cannot use the database file/);
    assert.equal(readFileSync(path, 'utf8'), 'notes');
  });

  test('a database without its cursor key: one line and 1', async () => {
    const path = fresh();
    made(sql("DELETE FROM meta WHERE key = 'cursor-key'"))(path);
    refusedWith(await serve(path), 1, /cannot use the database file .*: its cursor key is missing$/m);
  });

  // To root every directory is writable, but not this one.
  test('a place where nothing can be written: one line and 1', async () => {
    refusedWith(await serve('/proc/plantstore/plants.db'), 1, /cannot use the database file/);
  });
});

/** Sends the head of a create of ALOE; resolves once the service waits for the body. */
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
