/**
 * Tests starts on PostgreSQL: errors are one line without the password, and any number of replicas can start together.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { onFirstConnection, readServer } from '../../../src/stores/postgres/database.ts';
import { openPostgres } from '../../../src/stores/postgres/index.ts';
import { prepareTables, STEPS } from '../../../src/stores/postgres/migrations.ts';
import { createDirectory } from '../../harness/directory.ts';
import { openLine } from '../../harness/line.ts';
import { createSchema, execute, type PostgresServer, startPostgres } from '../../harness/postgres.ts';
import { MAIN, refusedWith, runCommand, runHere, serveProcess } from '../../harness/process.ts';
import { createUser, OPTIONS, openOn } from './server.ts';

const FIRST = {
  name: 'first',
  store: 'default',
  scopes: ['plants:read'],
  createdAt: 1,
  expiresAt: undefined,
  revokedAt: undefined,
};
const PASSWORD = 'wr0ng-and-secret';
/** The number of this version's format. */
const FORMAT = STEPS.length;
const isNewer = (format: number) => new RegExp(`newer version of Plant Store \\(format ${format}, not ${FORMAT}\\)`);

describe('starting on PostgreSQL', () => {
  const directory = createDirectory();
  let server: PostgresServer;
  before(async () => {
    const { right, wrong, key, certificate } = await makeCertificates();
    writeFileSync(directory.at('right.pem'), right);
    writeFileSync(directory.at('wrong.pem'), wrong);
    server = await startPostgres(['ssl=on'], (data) => {
      // The server runs as the owner of its directory, and refuses a key that other users can read.
      const { uid, gid } = statSync(data);
      for (const [name, content] of Object.entries({ 'server.key': key, 'server.crt': certificate })) {
        const path = join(data, name);
        writeFileSync(path, content);
        chmodSync(path, 0o600);
        chownSync(path, uid, gid);
      }
    });
  });
  after(async () => {
    await server.remove();
    directory[Symbol.dispose]();
  });

  /** Resolves to the one line that `serve` prints. */
  async function refusal(url: string, expected = 1, variables: NodeJS.ProcessEnv = {}): Promise<string> {
    // The driver itself reads further variables, so they need a process of their own.
    const runRefused = Object.keys(variables).length > 0 ? runCommand : runHere;
    const finished = await runRefused(['serve', '--port', '0'], { DATABASE_URL: url, ...variables });
    refusedWith(finished, expected, /^(?!.*(wr0ng-and|not-a)-secret)/);
    return finished.stderr;
  }
  const change = (parts: Partial<URL>) => Object.assign(new URL(server.url), parts).href;
  /** Creates a schema with the tables and no open engine. */
  const createTables = async () => {
    const place = await openOn(server.url);
    await place.close();
    return place;
  };

  const OPTION = '^plantstore: DATABASE_URL: ';
  for (const [what, url, code, line] of [
    ['a wrong password', { password: PASSWORD }, 1, /refuses the user or the password/],
    ['a server that does not listen', { port: '1' }, 1, /127\.0\.0\.1:1\/postgres: nothing listens there/],
    ['a host by its IPv6 address', { host: '[::1]:1' }, 1, / PostgreSQL at \[::1\]:1\/postgres: /],
    ['a socket that is not there', 'postgres://u@/d?host=/nowhere', 1, /nowhere:5432\/d: nothing listens there/],
    ['a database that is not there', { pathname: '/nowhere' }, 1, /no such database/],
    // No part of these passwords may be taken for the address.
    ['a / that is not percent-encoded', `postgres://u:1/${PASSWORD}@127.0.0.1/d`, 2, `${OPTION}.*percent-encode`],
    ['a ? that is not percent-encoded', `postgres://u:1?${PASSWORD}@127.0.0.1/d`, 2, `${OPTION}.*percent-encode`],
    ['a # that is not percent-encoded', `postgres://u:1#${PASSWORD}@127.0.0.1/d`, 2, `${OPTION}.*percent-encode`],
    ['no host', 'postgres://u:1@', 2, `${OPTION}it is not well-formed\n$`],
    ['no such port', 'postgres://u:1@h:99999/d', 2, `${OPTION}it is not well-formed\n$`],
    ['no UTF-8', `postgres://u:%ff${PASSWORD}@h/d`, 2, `${OPTION}it is not well-formed\n$`],
    ['an unknown sslmode', { search: 'sslmode=bogus' }, 2, `${OPTION}its sslmode must be one of .*verify-full`],
    [
      'a mode without its authority',
      { search: 'uselibpqcompat=true&sslmode=verify-ca' },
      2,
      `${OPTION}its sslmode=verify-ca needs sslrootcert`,
    ],
    ['an unknown parameter', { search: 'sslmod=require' }, 2, `${OPTION}its parameter sslmod is not .*sslmode`],
  ] as const) {
    test(`a URL with ${what} is refused in one line that does not repeat its password`, async () => {
      assert.match(await refusal(typeof url === 'string' ? url : change(url), code), new RegExp(line));
    });
  }

  test('an unknown PGSSLMODE is refused with a list of the known modes', async () => {
    const line = await refusal(server.url, 2, { PGSSLMODE: 'verify_full' });
    assert.match(line, /^plantstore: DATABASE_URL: PGSSLMODE must be one of .*verify-full/);
  });

  test('the variable that asks pg for its native driver is refused in one line', async () => {
    const line = await refusal(server.url, 2, { NODE_PG_FORCE_NATIVE: '1' });
    assert.equal(line, 'plantstore: DATABASE_URL: NODE_PG_FORCE_NATIVE is not supported; unset it\n');
  });

  test('a server that accepts only encrypted connections is reported with the parameter to set', async () => {
    const rules = join(server.directory, 'pg_hba.conf');
    writeFileSync(rules, `hostnossl all plain all reject\n${readFileSync(rules, 'utf8')}`);
    await execute(server.url, 'SELECT pg_reload_conf()');
    const refused = (search: string) => refusal(change({ username: 'plain', search }));
    // The server reads its rules soon after the call.
    for (let line = '', attempts = 0; !/without TLS \(set sslmode\)\n$/.test(line); attempts++) {
      assert.ok(attempts < 100, line);
      await sleep(20);
      line = await refused('');
    }
    assert.match(await refused('sslmode=no-verify'), /refuses the user or the password\n$/);
  });

  test('a schema with the tables of another application is refused and not changed', async () => {
    await using schema = await createSchema(server.url);
    await execute(schema.url, 'CREATE TABLE plants (id int8 PRIMARY KEY)');
    assert.match(await refusal(schema.url), /tables of another application/);
    const tables = await execute(
      schema.url,
      `SELECT table_name FROM information_schema.tables WHERE table_schema = '${schema.name}'`,
    );
    assert.deepEqual(tables, [{ table_name: 'plants' }]);
  });

  test('a database with an encoding other than UTF8 is refused', async () => {
    for (const encoding of ['LATIN1', 'SQL_ASCII']) {
      const name = `test_${encoding.toLowerCase()}`;
      await execute(server.url, `CREATE DATABASE ${name} ENCODING '${encoding}' TEMPLATE template0`);
      const url = change({ pathname: `/${name}` });
      assert.match(await refusal(url), new RegExp(`its encoding is ${encoding}, not UTF8`));
      assert.deepEqual(await execute(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'"), []);
    }
  });

  for (const [what, change, line] of [
    ['of a newer version', "SET value = '99' WHERE key = 'format'", isNewer(99)],
    ...[1, 2, 3, 4].map(
      (format) =>
        [
          `of development format ${format}`,
          `SET key = 'schema-version', value = '${format}' WHERE key = 'format'`,
          new RegExp(
            `a development version of Plant Store \\(format ${format} before 1.0.0\\).*the commit that wrote it`,
          ),
        ] as const,
    ),
    ['without its cursor key', "SET key = 'lost' WHERE key = 'cursor-key'", /its cursor key is missing/],
  ] as const) {
    test(`a database ${what} is refused and not changed`, async () => {
      await using schema = await createTables();
      await execute(schema.url, `UPDATE plantstore_meta ${change}`);
      const read = () => execute(schema.url, 'SELECT key, value, xmin FROM plantstore_meta ORDER BY key');
      const before = await read();
      assert.match(await refusal(schema.url), line);
      assert.deepEqual(await read(), before);
    });
  }

  test('a further step adds a column and an index once, keeps rows, and is reported with both formats', async () => {
    await using schema = await createTables();
    await execute(schema.url, "INSERT INTO plants (store, id, name, version) VALUES ('default', 12, 'Aloe', 7)");
    const step = {
      'plants.colour': "ALTER TABLE plants ADD COLUMN IF NOT EXISTS colour text NOT NULL DEFAULT 'green'",
      plants_by_colour: 'CREATE INDEX IF NOT EXISTS plants_by_colour ON plants (store, colour)',
    };
    const upgrades: unknown[] = [];
    const sent: string[] = [];
    const start = () =>
      onFirstConnection(readServer(schema.url, OPTIONS.timeout), OPTIONS.timeout, (query) =>
        prepareTables(
          (text, values) => {
            sent.push(text);
            return query(text, values);
          },
          {
            create: true,
            timeout: OPTIONS.timeout,
            onUpgrade: (...formats) => upgrades.push(formats),
            steps: [...STEPS, step],
          },
        ),
      );
    // Three replicas take the step together.
    const keys = await Promise.all([start(), start(), start()]);
    assert.deepEqual(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size, 1);
    for (const formats of upgrades) assert.deepEqual(formats, [FORMAT, FORMAT + 1]);
    assert.notEqual(upgrades.length, 0);
    const [row] = await execute(schema.url, 'SELECT * FROM plants');
    assert.deepEqual([row?.['name'], row?.['colour']], ['Aloe', 'green']);
    assert.match(await refusal(schema.url), isNewer(FORMAT + 1));

    // An operator took the step beforehand, so the service sends no statement that needs the owner of the tables.
    await execute(schema.url, `UPDATE plantstore_meta SET value = '${FORMAT}' WHERE key = 'format'`);
    sent.length = 0;
    await start();
    assert.ok(!sent.some((text) => /^(CREATE|ALTER)/.test(text)), sent.join('\n'));
  });

  test('eight replicas that start together on an empty database share one cursor key and one first token', async () => {
    await using schema = await createSchema(server.url);
    const engines = await Promise.all(Array.from({ length: 8 }, () => openPostgres(schema.url, OPTIONS)));
    try {
      assert.equal(new Set(engines.map(({ cursorKey }) => Buffer.from(cursorKey).toString('hex'))).size, 1);
      const made = await Promise.all(engines.map(({ tokens }, i) => tokens.addFirst({ ...FIRST, hash: `hash-${i}` })));
      assert.equal(made.filter(Boolean).length, 1);
      assert.equal((await engines[0]?.tokens.list())?.length, 1);
      await Promise.all(engines.map(({ plants }, i) => plants.create('default', { id: BigInt(i), name: 'Aloe' })));
      assert.equal((await engines[0]?.plants.list('default', { limit: 100 }))?.length, engines.length);
    } finally {
      for (const engine of engines) await engine.close();
    }
  });

  test('the first token is shown even if the connection is cut before the response to its insertion', async () => {
    await using schema = await createSchema(server.url);
    let cuts = 0;
    using line = await openLine(schema.url, (near, far) => {
      let cut = false;
      near.on('data', (data) => {
        cut = cuts === 0 && data.includes('first-token');
        far.write(data);
      });
      far.on('data', (data) => {
        if (cut) cuts++;
        if (cut) near.destroy();
        else near.write(data);
      });
    });
    const engine = await openPostgres(line.url, OPTIONS);
    try {
      assert.equal(await engine.tokens.addFirst({ ...FIRST, hash: 'mine' }), true);
      assert.equal(cuts, 1);
      assert.equal(await engine.tokens.addFirst({ ...FIRST, hash: 'of another' }), false);
      assert.equal((await engine.tokens.list()).length, 1);
    } finally {
      await engine.close();
    }
  });

  /** A server that sends these bytes to every client, and then calls `asked`. */
  async function openFake(bytes: Buffer, asked = () => {}) {
    const fake = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(bytes));
      asked();
    }).listen(0, '127.0.0.1');
    await once(fake, 'listening');
    const url = `postgres://u:p@127.0.0.1:${(fake.address() as AddressInfo).port}/d`;
    return { url, [Symbol.dispose]: () => void fake.close() };
  }

  test('SIGTERM immediately ends a start that waits for the server', async () => {
    const fields = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');
    const bytes = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.from([4 + fields.length]), fields]);
    let child: ChildProcess | undefined;
    let times = 0;
    using starting = await openFake(bytes, () => void (++times === 2 && child?.kill('SIGTERM')));
    child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--database', starting.url]);
    assert.deepEqual(await once(child, 'close'), [0, null]);
  });

  test('a server that requires GSSAPI, which pg does not support, is reported in one line', async () => {
    // AuthenticationGSS (https://www.postgresql.org/docs/current/protocol-message-formats.html).
    using other = await openFake(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 7]));
    const finished = await runHere(['check'], { DATABASE_URL: other.url });
    refusedWith(finished, 1, /: cannot use PostgreSQL at 127\.0\.0\.1:\d+\/d: .* message type 7\n$/);
  });

  test('a host that does not answer is reported as one that cannot be reached', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const finished = await runHere(['check'], { DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/d` });
    silent.close();
    refusedWith(finished, 1, /: cannot use PostgreSQL at 127\.0\.0\.1:\d+\/d: it cannot be reached\n$/);
  });

  test('a server that resets connections is reported as one that closed the connection', async () => {
    const resetting = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
    await once(resetting, 'listening');
    const { port } = resetting.address() as AddressInfo;
    assert.match(await refusal(`postgres://u@127.0.0.1:${port}/d`), /: it closed the connection\n$/);
    resetting.close();
  });

  test('a user who may only read and write the tables can serve if they exist', async () => {
    await using schema = await createTables();
    await using user = await createUser(server.url, schema.name, 'SELECT, INSERT, UPDATE, DELETE');
    const engine = await openPostgres(user.url, OPTIONS);
    assert.equal(await engine.plants.create('default', { id: 1n, name: 'Aloe' }), 'created');
    await engine.close();
  });

  test('events are not turned on beside a process whose sessions this user may not end', async () => {
    await using schema = await createTables();
    await using user = await createUser(server.url, schema.name, 'SELECT, INSERT, UPDATE, DELETE');
    const other = await openPostgres(schema.url, OPTIONS);
    await other.plants.create('default', { id: 1n, name: 'Aloe' });
    for (let start = 1; start <= 2; start++) {
      const finished = await runHere(['serve', '--port', '0', '--events'], { DATABASE_URL: user.url });
      refusedWith(finished, 1, /: cannot use [^\n]+ sessions of another user[^\n]+ stop their processes[^\n]*\n$/);
    }
    assert.equal(await other.events.period(), undefined);
    await other.close();
    const engine = await openPostgres(user.url, OPTIONS);
    await engine.events.turnOn();
    assert.match(String(await engine.events.period()), /^\d{13}$/);
    await engine.close();
  });

  test('tables that the user may not use are detected, both of another application and of the service', async () => {
    await using schema = await createSchema(server.url);
    await execute(schema.url, 'CREATE TABLE orders (id int8 PRIMARY KEY)');
    await using user = await createUser(server.url, schema.name, 'SELECT');
    await execute(
      server.url,
      `REVOKE SELECT ON ${schema.name}.orders FROM ${user.name}; GRANT CREATE ON SCHEMA ${schema.name} TO ${user.name}`,
    );
    assert.match(await refusal(user.url), /tables of another application/);
    await execute(schema.url, 'DROP TABLE orders');
    await (await openPostgres(schema.url, OPTIONS)).close();
    await execute(server.url, `GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema.name}.plants TO ${user.name}`);
    assert.match(await refusal(user.url), /the user may not create or use the tables/);
  });

  test('commands that write are refused in one line for a user who may only read', async () => {
    await using schema = await createTables();
    await using user = await createUser(server.url, schema.name, 'SELECT');
    const plants = directory.at('plants.ndjson');
    writeFileSync(plants, '{"id":1,"name":"Aloe"}\n');
    for (const command of [
      ['import', plants],
      ['token', 'create'],
    ]) {
      const finished = await runHere(command, { DATABASE_URL: user.url });
      refusedWith(finished, 1, /: the store refuses the command: its user needs SELECT, INSERT, [^\n]+\n$/);
    }
  });

  const secured = (url: string, mode: string, authority: string, hostname: string) =>
    `${Object.assign(new URL(url), { hostname }).href}&sslmode=${mode}&sslrootcert=${directory.at(authority)}`;

  test('sslmode=verify-full requires the right authority and the host of the certificate', async () => {
    await using schema = await createSchema(server.url);
    const secure = (authority: string, host: string) => secured(schema.url, 'verify-full', authority, host);
    assert.match(await refusal(secure('wrong.pem', 'localhost')), /not signed by a trusted authority/);
    assert.match(await refusal(secure('right.pem', '127.0.0.1')), /certificate is for another host/);
    assert.match(await refusal(secure('missing.pem', 'localhost')), /cannot read .*missing\.pem/);
    assert.match(await refusal(secure('', 'localhost')), /cannot read a file, which is named in the database URL/);
    const service = await serveProcess([], { DATABASE_URL: secure('right.pem', 'localhost') });
    const [{ encrypted } = {}] = await execute(
      server.url,
      `SELECT bool_and(ssl) AS encrypted FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
       WHERE application_name LIKE 'plantstore%'`,
    );
    assert.equal(encrypted, true);
    assert.doesNotMatch(service.stdout() + service.stderr(), /not-a-secret/);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('a URL with every parameter that has no effect, and the string of a provider, connect', async () => {
    await using schema = await createSchema(server.url);
    const plain =
      'connect_timeout=10&keepalives=1&keepalives_idle=30&keepalives_interval=10&keepalives_count=5&pgbouncer=true' +
      '&client_encoding=UTF8&gssencmode=prefer&target_session_attrs=read-write&channel_binding=prefer';
    const provider = `${secured(schema.url, 'require', 'right.pem', 'localhost')}&channel_binding=require`;
    for (const url of [`${schema.url}&${plain}`, provider]) {
      const made = await runCommand(['token', 'create', '--create'], { DATABASE_URL: url });
      assert.equal(made.code, 0, made.stderr);
    }
  });

  test('prefer, require and verify-ca mean verify-full, without a warning in the log', async () => {
    await using schema = await createSchema(server.url);
    for (const mode of ['prefer', 'require', 'verify-ca']) {
      const secure = (host: string) => secured(schema.url, mode, 'right.pem', host);
      assert.match(await refusal(secure('127.0.0.1')), /certificate is for another host/);
      const made = await runCommand(['token', 'create', '--create'], { DATABASE_URL: secure('localhost') });
      assert.equal(made.code, 0);
      assert.match(made.stderr, /^Token .*\n$/);
    }
  });
});

/** Creates two authorities, and a certificate for `localhost` that one of them signed. */
async function makeCertificates() {
  const authority = (name: string) =>
    generate([{ name: 'commonName', value: name }], {
      extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
    });
  const [right, wrong] = await Promise.all([authority('Right'), authority('Wrong')]);
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    ca: { key: right.private, cert: right.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  return { right: right.cert, wrong: wrong.cert, key, certificate: cert };
}
