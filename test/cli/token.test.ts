import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isWellFormedToken } from '../../src/auth/token.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { type Finished, refusedWith, runCommand, runHere, serveProcess } from '../harness/process.ts';

/** A place for a database, and a function that runs token commands on it. */
function place() {
  const directory = createDirectory();
  const file = directory.at('plants.db');
  const database = `sqlite:${file}`;
  return {
    ...directory,
    file,
    database,
    token: (...args: string[]): Promise<Finished> => {
      const create = args[0] === 'create' ? ['--create'] : [];
      return runHere(['token', ...args, ...create, '--database', database]);
    },
  };
}

type Listed = Readonly<Record<'name' | 'id' | 'store' | 'createdAt' | 'status', string>> & {
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
};

const listed = async (at: ReturnType<typeof place>): Promise<readonly Listed[]> =>
  JSON.parse((await at.token('list', '--json')).stdout);

test('token create prints only the token, once, and stores only its hash', async () => {
  using at = place();
  const made = await at.token('create', '--name', 'ci');
  assert.equal(made.code, 0, made.stderr);
  const token = made.stdout.trim();
  assert.ok(isWellFormedToken(token));
  assert.equal(made.stdout, `${token}\n`);
  assert.ok(!made.stderr.includes(token));
  assert.ok(made.stderr.includes(` on the store default in ${at.file}, never expires.`), made.stderr);
  for (const file of readdirSync(at.path)) {
    assert.ok(!readFileSync(at.at(file)).includes(token), file);
  }
  for (const list of [await at.token('list'), await at.token('list', '--json')]) {
    assert.ok(list.stdout.includes('ci'));
    assert.ok(!list.stdout.includes(token) && !list.stdout.includes('pst_'));
  }
});

test('token create creates a missing database only with --create', async () => {
  using at = place();
  const refused = await runHere(['token', 'create', '--database', at.database]);
  refusedWith(
    refused,
    1,
    /no such database file: \S+; start the service first, or create an empty database with --create/,
  );
  assert.equal(existsSync(at.file), false);
  // An interrupted start leaves an empty file.
  writeFileSync(at.file, '');
  refusedWith(await runHere(['token', 'create', '--database', at.database]), 1, /no such database file: /);
  assert.equal(readFileSync(at.file, 'utf8'), '');
  assert.equal((await at.token('create')).code, 0);
  assert.equal((await runHere(['token', 'create', '--database', at.database])).code, 0);
});

test('token create takes scopes as words, as repeated options or as one text; the default is every scope', async () => {
  using at = place();
  const scopes = async (...args: string[]) => {
    const made = await at.token('create', '--json', ...args);
    assert.equal(made.code, 0, made.stderr);
    return (JSON.parse(made.stdout) as Listed).scopes;
  };
  const both = ['plants:read', 'plants:write'];
  assert.deepEqual(await scopes(), both);
  assert.deepEqual(await scopes('--scope', 'plants:write', 'plants:read', '--store', 'a'), both);
  assert.deepEqual(await scopes('--scope', 'plants:read', '--scope', 'plants:write'), both);
  assert.deepEqual(await scopes('--scope', 'plants:read plants:write'), both);
  assert.deepEqual(await scopes('--scope=plants:read'), ['plants:read']);
});

test('token create --json prints the token with its store and expiry', async () => {
  using at = place();
  const before = Date.now();
  const made = await at.token('create', '--json', '--name', 'deploy', '--store', 'north', '--expires', '90d');
  const { token, ...rest } = JSON.parse(made.stdout) as Listed & { token: string };
  assert.ok(isWellFormedToken(token));
  assert.equal(made.stderr, '');
  assert.deepEqual(await listed(at), [rest]);
  const lifetime = Date.parse(rest.expiresAt ?? '') - Date.parse(rest.createdAt);
  assert.equal(lifetime, 90 * 86_400_000);
  assert.ok(Date.parse(rest.createdAt) >= before);
  assert.deepEqual([rest.name, rest.store, rest.status, rest.revokedAt], ['deploy', 'north', 'active', null]);
});

test('token list shows names, ids, stores, scopes, times and states, as a table and as JSON', async () => {
  using at = place();
  assert.equal((await at.token('create', '--name', 'a')).code, 0);
  assert.equal((await at.token('create', '--name', 'b', '--expires', '1ms', '--scope', 'plants:read')).code, 0);
  assert.equal((await at.token('create', '--name', 'c', '--store', 'north')).code, 0);
  assert.equal((await at.token('revoke', 'c')).code, 0);
  const rows = await listed(at);
  assert.deepEqual(
    rows.map(({ name, store, status }) => [name, store, status]),
    [
      ['a', 'default', 'active'],
      ['b', 'default', 'expired'],
      ['c', 'north', 'revoked'],
    ],
  );
  const lines = (await at.token('list')).stdout.trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^NAME +ID +STORE +SCOPES +CREATED +EXPIRES +STATUS$/);
  assert.match(lines[1] ?? '', /^a +[0-9a-f]{12} +default +plants:read plants:write +\S+Z +never +active$/);
  assert.match(lines[2] ?? '', /^b +[0-9a-f]{12} +default +plants:read +\S+Z +\S+Z +expired$/);
  assert.match(lines[3] ?? '', /^c +[0-9a-f]{12} +north .* revoked$/);
});

test('token list shows 150,000 tokens', async () => {
  using at = place();
  assert.equal((await at.token('create')).code, 0);
  const database = new DatabaseSync(at.file);
  database.exec(`INSERT INTO tokens (hash, name, store, scopes, created_at)
      WITH RECURSIVE job (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM job LIMIT 149999)
      SELECT hex(randomblob(16)) || '00000000000', 'job-' || number, 'default', 'plants:read', 0 FROM job`);
  database.close();
  const { code, stdout, stderr } = await at.token('list');
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(stdout.trimEnd().split('\n').length, 150_001);
});

test('token revoke takes a name, an id or a token, and fails with one line if nothing matches', async () => {
  using at = place();
  assert.equal((await at.token('create', '--name', 'a')).code, 0);
  assert.equal((await at.token('create', '--name', 'b')).code, 0);
  const leaked = (await at.token('create', '--name', 'c')).stdout.trim();
  const idOf = async (name: string) => (await listed(at)).find((row) => row.name === name)?.id ?? '';
  for (const which of ['a', await idOf('b'), leaked]) {
    const done = await at.token('revoke', which);
    assert.equal(done.code, 0, done.stderr);
    refusedWith(await at.token('revoke', which), 1, /: no token has this name or id, or it was already revoked$/m);
  }
  assert.ok((await listed(at)).every(({ status }) => status === 'revoked'));
  assert.equal((await at.token('revoke', 'nobody')).code, 1);
});

test('at most one valid token has a name, and the name is free again after revocation or expiry', async () => {
  using at = place();
  assert.equal((await at.token('create', '--name', 'ci')).code, 0);
  const second = await at.token('create', '--name', 'ci');
  refusedWith(second, 1, /a valid token of this name exists; /);
  assert.equal((await at.token('revoke', 'ci')).code, 0);
  assert.equal((await at.token('create', '--name', 'ci')).code, 0);
  assert.equal((await at.token('create', '--name', 'short', '--expires', '1ms')).code, 0);
  assert.equal((await at.token('create', '--name', 'short')).code, 0);
});

test('if two commands create tokens with one name at the same time, at most one succeeds', async () => {
  using at = place();
  assert.equal((await at.token('create', '--name', 'first')).code, 0);
  const database = new DatabaseSync(at.file);
  database.exec(`CREATE TRIGGER meanwhile AFTER INSERT ON tokens BEGIN
    INSERT INTO tokens VALUES ('of another', new.name, 'default', 'plants:read', new.created_at, NULL, NULL);
  END`);
  const created = await at.token('create', '--name', 'ci');
  refusedWith(created, 1, /a valid token of this name exists; /);
  const inForce = database.prepare("SELECT hash FROM tokens WHERE name = 'ci' AND revoked_at IS NULL").all();
  assert.deepEqual({ ...inForce[0] }, { hash: 'of another' });
  assert.equal(inForce.length, 1);
  database.close();
});

test('a wrong token command exits with 2 and one line, and creates no file', async () => {
  using at = place();
  for (const [args, says] of [
    [['create', '--scope', 'plants:read', 'plants:eat'], /--scope: each must be one of plants:read, plants:write/],
    [['create', '--scope'], /--scope needs a value/],
    [['create', '--expires', 'soon'], /--expires: it must be a time/],
    [['create', '--expires', '99999999d'], /--expires: it must be a time of at most/],
    [['create', '--store', '../x'], /--store: it must be 1 to 64/],
    [['create', '--name', '0123456789ab'], /--name: it must be/],
    [['create', 'ci'], /unexpected argument/],
    [['revoke'], /the name or the id of the token is missing/],
    [['revoke', 'a', 'b'], /unexpected argument/],
    [['list', '--jsn'], /unknown option --jsn/],
    [[], /token needs a second word/],
  ] as const) {
    refusedWith(await at.token(...args), 2, says);
  }
  assert.equal(existsSync(at.file), false);
});

test('token list and revoke exit with 1 if there is no database, and create none', async () => {
  using at = place();
  refusedWith(await at.token('list'), 1, /: cannot use the database file \S+: no such file\n$/);
  refusedWith(await at.token('revoke', 'ci'), 1, /: no such database file: /);
  assert.equal(existsSync(at.file), false);
});

for (const table of ['tokens', 'sqlite_schema']) {
  test(`damage in ${table} of a file that is not checked at every start is reported with advice`, async () => {
    using at = place();
    assert.equal((await at.token('create', '--name', 'a')).code, 0);
    const database = new DatabaseSync(at.file);
    const page = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.['rootpage'] ?? 1;
    database.exec("INSERT INTO meta VALUES ('large', zeroblob(17 * 1024 * 1024))");
    database.close();
    const file = openSync(at.file, 'r+');
    // The first page begins with the header of the file.
    writeSync(file, Buffer.alloc(4_096 - 100, 0xa5), 0, null, (Number(page) - 1) * 4_096 + 100);
    closeSync(file);
    for (const args of [['list'], ['create', '--name', 'b']]) {
      refusedWith(await at.token(...args), 1, / is damaged: [^\n]*restore a backup$/m);
    }
  });
}

describe('tests that take seconds', { concurrency: true }, () => {
  test('a database that another process has locked is reported as locked', async () => {
    const refused = async (command: string, lock: string, line: RegExp) => {
      using at = place();
      assert.equal((await at.token('create')).code, 0);
      const database = new DatabaseSync(at.file);
      database.exec(lock);
      // In another process, since waiting for the lock blocks the whole process.
      refusedWith(await runCommand(['token', command, '--database', at.database]), 1, line);
      database.close();
    };
    const exclusive = 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE';
    await Promise.all([
      refused('create', 'BEGIN IMMEDIATE', /: the store is locked by another process$/m),
      refused('list', exclusive, /: cannot use the database file [^\n]+: it is locked by another process$/m),
    ]);
  });

  test('a running service notices a new token, its revocation and its expiry', {
    timeout: 30_000,
  }, async () => {
    using at = place();
    const service = await serveProcess(['--database', at.database]);
    const client = createClient(service.url, '');
    const status = async (token: string) => (await client.send('GET', '/plants', { token })).status;
    const becomes = async (token: string, wanted: number) => {
      while ((await status(token)) !== wanted) await sleep(10);
    };
    try {
      // The first token works immediately.
      assert.equal(await status(service.token ?? ''), 200);
      const token = (await at.token('create', '--name', 'ci')).stdout.trim();
      await becomes(token, 200);
      assert.equal((await at.token('revoke', 'ci')).code, 0);
      await becomes(token, 401);
      const short = JSON.parse((await at.token('create', '--expires', '2s', '--json')).stdout);
      await becomes(short.token, 200);
      await sleep(Date.parse(short.expiresAt) - Date.now());
      await becomes(short.token, 401);
    } finally {
      client.close();
      assert.equal(await service.stop('SIGTERM'), 0);
    }
  });

  test('a running service notices that its PLANTSTORE_TOKEN was revoked', { timeout: 30_000 }, async () => {
    using at = place();
    const token = (await at.token('create')).stdout.trim();
    const service = await serveProcess(['--database', at.database], { PLANTSTORE_TOKEN: token });
    const client = createClient(service.url, token);
    const status = async () => (await client.send('GET', '/plants')).status;
    try {
      assert.equal(await status(), 200);
      assert.equal((await at.token('revoke', token)).code, 0);
      while ((await status()) !== 401) await sleep(10);
    } finally {
      client.close();
      assert.equal(await service.stop('SIGTERM'), 0);
    }
  });
});
