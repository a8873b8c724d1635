/** Tests a database that others alter under a running service, or that fails single statements. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import pg from 'pg';
import { createLogger } from '../../../src/observe/log.ts';
import { endsConnection } from '../../../src/stores/postgres/failures.ts';
import { openPostgres } from '../../../src/stores/postgres/index.ts';
import { execute, sharedPostgres } from '../../harness/postgres.ts';
import { aloe, bounded, create, createUser, OPTIONS, openOn, read, recovered, replace, STORE } from './server.ts';

const SERVER = sharedPostgres();

test('plants with and without a tag are stored even if the server reads NULL in an array as text', async () => {
  await using made = await openOn(SERVER);
  const { plants, close } = await openPostgres(`${made.url}${encodeURIComponent(' -c array_nulls=off')}`, OPTIONS);
  const there = [aloe(1n), { ...aloe(2n), tag: 'NULL' }];
  await Promise.all(there.map((plant) => plants.create(STORE, plant)));
  assert.deepEqual(await plants.list(STORE, { limit: 2 }), there);
  await close();
});

test('tokens are read again if a failover loses one token and another is created', async () => {
  await using engine = await openOn(SERVER);
  const { tokens } = engine;
  const add = (name: string, createdAt: number) => {
    const record = { store: STORE, scopes: ['plants:read'], expiresAt: undefined, revokedAt: undefined };
    return tokens.add({ ...record, name, hash: name, createdAt });
  };
  await add('kept', 1);
  await add('lost', 2);
  const before = await tokens.revision();
  await execute(engine.url, "DELETE FROM tokens WHERE name = 'lost'");
  await add('new', 4);
  assert.notEqual(await tokens.revision(), before);
});

test('two tags with the same digest have separate lists on every page', async () => {
  await using engine = await openOn(SERVER);
  for (let id = 1n; id <= 4n; id++) await engine.plants.create(STORE, { ...aloe(id), tag: 'succulent' });
  // Imitates a collision of the first 64 bits of SHA-256.
  await execute(engine.url, "UPDATE plants SET tag = 'other' WHERE id IN (1, 3)");
  const list = async (page: { after?: bigint; limit: number }) =>
    (await engine.plants.list(STORE, { tag: 'succulent', ...page })).map(({ id }) => id);
  assert.deepEqual(await list({ limit: 1 }), [2n]);
  assert.deepEqual(await list({ after: 2n, limit: 10 }), [4n]);
});

test('on a full disk, creating and replacing fail as out of space, and reads continue', async () => {
  await using engine = await openOn(SERVER);
  await create(engine);
  // Raises the error of a server with a full disk.
  await execute(
    engine.url,
    `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$;
     CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON plants FOR EACH ROW EXECUTE FUNCTION full_disk()`,
  );
  assert.equal(await create(engine, 2n), 'out_of_space');
  assert.equal(await replace(engine), 'out_of_space');
  assert.equal((await engine.plants.get(STORE, 1n))?.name, 'Aloe 1');
  await execute(engine.url, 'DROP TRIGGER full_disk ON plants');
  assert.equal(await create(engine, 2n), 'created');
});

for (const [what, change, undo, calls] of [
  ['are gone, as during a restore', 'RENAME TO moved', 'TABLE moved RENAME TO plants', [create, read]],
  [
    'have no key, as halfway through a restore',
    'DROP CONSTRAINT plants_pkey',
    'TABLE plants ADD PRIMARY KEY (store, id)',
    [create],
  ],
  ['lack a column', 'RENAME tag TO moved', 'TABLE plants RENAME moved TO tag', [read]],
] as const) {
  test(`calls fail as unreachable while the tables ${what}, and succeed afterwards`, async () => {
    await using engine = await openOn(SERVER);
    await execute(engine.url, `ALTER TABLE plants ${change}`);
    for (const call of calls) assert.equal(await call(engine), 'unreachable');
    await execute(engine.url, `ALTER ${undo}`);
    assert.equal(await create(engine), 'created');
    assert.equal((await engine.plants.get(STORE, 1n))?.name, 'Aloe 1');
  });
}

test('older sessions are replaced if the user is created again or gets another search_path', async () => {
  await using made = await openOn(SERVER);
  await using user = await createUser(SERVER, made.name, 'ALL');
  const engine = { ...made, ...(await openPostgres(user.url, OPTIONS)) };
  assert.equal(await create(engine), 'created');
  await user.drop();
  assert.equal(await create(engine), 'unreachable');
  await user.make();
  assert.equal(await recovered(engine), 'same');
  const rename = (from: string, to: string) => execute(SERVER, `ALTER SCHEMA ${from} RENAME TO ${to}`);
  const moved = `moved_${made.name}`;
  await rename(made.name, moved);
  await execute(SERVER, `ALTER ROLE ${user.name} SET search_path = ${moved}`);
  assert.equal(await recovered(engine), 'same');
  await engine.close();
  await rename(moved, made.name);
});

for (const [what, take] of [
  ['permission', (schema: string, user: string) => `REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${user}`],
  ['schema', (schema: string, user: string) => `REVOKE USAGE ON SCHEMA ${schema} FROM ${user}`],
] as const) {
  test(`a missing ${what} is a failure that an operator must fix, also while no session can open`, async () => {
    await using made = await openOn(SERVER);
    await using user = await createUser(SERVER, made.name, 'ALL');
    const { plants, close } = await openPostgres(user.url, OPTIONS);
    await execute(SERVER, take(made.name, user.name));
    await execute(SERVER, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user.name}'`);
    for (let i = 0; i < 3; i++) {
      await assert.rejects(plants.get(STORE, 1n), { message: /^the store refuses the command: its /, lasting: true });
    }
    await close();
  });
}

for (const [what, addition] of [
  ['a constraint', 'ALTER TABLE plants ADD CONSTRAINT added CHECK (length(name) < 1000)'],
  ['an index', 'CREATE INDEX added ON plants (name)'],
  [
    'a trigger',
    `CREATE FUNCTION added() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN IF length(NEW.name) = 1024 THEN RAISE 'no'; END IF; RETURN NEW; END $$;
     CREATE TRIGGER added BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION added()`,
  ],
] as const) {
  test(`creating a plant fails as unreachable if ${what} that was added to the tables refuses the row`, async () => {
    await using engine = await openOn(SERVER);
    await execute(engine.url, addition);
    // The longest name, which the server cannot compress.
    const name = Array.from({ length: 1024 }, (_, i) => String.fromCodePoint(0x20000 + ((i * 7919) % 40_000))).join('');
    assert.equal(await bounded(engine.plants.create(STORE, { id: 1n, name })), 'unreachable');
    assert.equal(await create(engine), 'created');
  });
}

test('calls continue on another connection if a pooler lost the prepared statements', async () => {
  await using engine = await openOn(SERVER, { connections: 1 });
  await read(engine);
  // This is the state of a connection behind a pooler in transaction mode without max_prepared_statements.
  await execute(
    engine.url,
    `CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DEALLOCATE ALL; RETURN NEW; END $$;
     CREATE TRIGGER forget AFTER INSERT ON plants EXECUTE FUNCTION forget()`,
  );
  assert.equal(await create(engine), 'created');
  assert.equal((await engine.plants.get(STORE, 1n))?.name, 'Aloe 1');
});

test('clients notice nothing when columns get another type', async () => {
  await using engine = await openOn(SERVER);
  await create(engine);
  await read(engine);
  await execute(engine.url, 'ALTER TABLE plants ALTER name TYPE varchar');
  assert.equal((await engine.plants.get(STORE, 1n))?.name, 'Aloe 1');
  assert.equal(await create(engine), 'same');
});

for (const state of ['40001', '40P01']) {
  test(`a statement that is rolled back with ${state} is run again, and the client notices nothing`, async () => {
    await using engine = await openOn(SERVER);
    await create(engine);
    await execute(
      engine.url,
      `CREATE SEQUENCE refusals;
       CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN IF nextval('refusals') % 3 <> 0 THEN RAISE EXCEPTION USING ERRCODE = '${state}'; END IF;
            RETURN NEW; END $$;
       CREATE TRIGGER conflict BEFORE INSERT OR UPDATE ON plants FOR EACH STATEMENT EXECUTE FUNCTION conflict()`,
    );
    assert.equal(await create(engine, 2n), 'created');
    assert.equal(typeof (await replace(engine)), 'object');
  });
}

test('if a rule of the operator refuses a plant, the log contains the rule and nothing of the plant', async () => {
  await using engine = await openOn(SERVER);
  await execute(engine.url, `ALTER TABLE plants ADD CONSTRAINT a_rule CHECK (name <> 'Agave')`);
  const stream = new PassThrough();
  const log = createLogger('trace', stream);
  const refused = engine.plants.create(STORE, { id: 1n, name: 'Agave' });
  await refused.catch((err: unknown) => log.error({ err }, 'refused'));
  const line = String(stream.read());
  assert.match(line, /violates check constraint/);
  assert.doesNotMatch(line, /Agave/);
});

test('only the code of an error, never its text, decides whether its connection is closed', () => {
  const german = (severity: string, code: string) =>
    Object.assign(new pg.DatabaseError('', 0, 'error'), { severity, code });
  assert.equal(endsConnection(german('FEHLER', '40P01')), false, 'a deadlock, after which the statement is repeated');
  assert.equal(endsConnection(german('FATAL', '57P01')), true);
});
