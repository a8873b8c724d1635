/** The shared engine on a server that fails in every way: calls end within the bound, nothing answered is lost, and it comes back. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreFailure, type StoreFailureReason } from '../../../src/errors.ts';
import { createLogger } from '../../../src/observe/log.ts';
import type { PostgresOptions } from '../../../src/stores/postgres/client.ts';
import { connectFirst, readServer } from '../../../src/stores/postgres/database.ts';
import { endsConnection } from '../../../src/stores/postgres/failures.ts';
import { openPostgres } from '../../../src/stores/postgres/index.ts';
import { openLine } from '../../harness/line.ts';
import { createSchema, execute, type PostgresServer, startPostgres } from '../../harness/postgres.ts';

const BOUND = 1_000;
/** What a timer and a busy machine may add. */
const SLACK = 500;
/** Within this time of the server's return calls succeed again. */
const RECOVERY = 2_000;
const STORE = 'default';
const OPTIONS: PostgresOptions = {
  queueLimit: 1_000,
  connections: 4,
  timeout: BOUND,
  random: Math.random,
  onFatal: (cause) => assert.fail(String(cause)),
};

describe('a store on a PostgreSQL that fails', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.remove());

  /** An engine on an empty schema. */
  async function openEngine(options: Partial<PostgresOptions> = {}, url = server.url) {
    const schema = await createSchema(url);
    const engine = await openPostgres(schema.url, { ...OPTIONS, ...options });
    return {
      plants: engine.plants,
      tokens: engine.tokens,
      url: schema.url,
      async [Symbol.asyncDispose]() {
        await engine.close();
        await schema[Symbol.asyncDispose]();
      },
    };
  }
  const aloe = (id: bigint) => ({ id, name: `Aloe ${id}` });

  for (const signal of ['SIGQUIT', 'SIGKILL', 'SIGINT'] as const) {
    test(`that is ended by ${signal}: calls fail within the bound, and succeed again soon after it is back`, async () => {
      await using engine = await openEngine();
      const { plants } = engine;
      const answered: bigint[] = [];
      let next = 0n;
      let stopped = false;
      const writers = Array.from({ length: 16 }, async () => {
        while (!stopped) {
          const id = next++;
          const outcome = await bounded(plants.create(STORE, aloe(id)));
          if (outcome !== 'unreachable') answered.push(id);
          else await sleep(20);
        }
      });
      while (answered.length < 100) await sleep(10);
      await server.stop(signal);
      const calls = () => [plants.get(STORE, 0n), plants.replace(STORE, aloe(0n), undefined), engine.tokens.list()];
      const waited = await Promise.all(calls().map((call) => bounded<unknown>(call)));
      assert.deepEqual(new Set(waited), new Set(['unreachable']));
      // Once it has been gone for longer than the bound, no call is held.
      await sleep(BOUND);
      const asked = performance.now();
      const refused = await Promise.all(calls().map((call) => bounded<unknown>(call)));
      assert.ok(performance.now() - asked < BOUND / 2, 'calls are refused at once');
      assert.deepEqual(new Set(refused), new Set(['unreachable']));
      await server.start();
      const back = performance.now();
      while ((await bounded(plants.create(STORE, aloe(-1n)))) === 'unreachable') await sleep(10);
      assert.ok(performance.now() - back < RECOVERY, 'traffic is back in time');
      stopped = true;
      await Promise.all(writers);
      for (const id of answered) assert.deepEqual((await plants.get(STORE, id))?.name, `Aloe ${id}`);
    });
  }

  test('that ends connections one by one: nothing answered is lost, and the rest goes on', async () => {
    await using engine = await openEngine();
    const { plants } = engine;
    const answered: bigint[] = [];
    let failures = 0;
    let next = 0n;
    let stopped = false;
    const writers = Array.from({ length: 16 }, async () => {
      while (!stopped) {
        const id = next++;
        if ((await bounded(plants.create(STORE, aloe(id)))) === 'created') answered.push(id);
        else failures++;
      }
    });
    for (let i = 0; i < 20; i++) {
      await sleep(20);
      await execute(
        engine.url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plantstore' LIMIT 1",
      );
    }
    stopped = true;
    await Promise.all(writers);
    assert.ok(answered.length > failures, `${answered.length} answered, ${failures} failed`);
    for (const id of answered) assert.ok(await plants.get(STORE, id), `plant ${id}`);
  });

  test('that holds a lock: every call ends within the bound, and the store serves once it is released', async () => {
    await using engine = await openEngine({ queueLimit: 8 });
    const { plants } = engine;
    await plants.create(STORE, aloe(1n));
    const holder = new pg.Client({ connectionString: engine.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
    const outcomes = await Promise.all([
      bounded(plants.create(STORE, aloe(2n))),
      bounded(plants.get(STORE, 1n)),
      bounded(plants.list(STORE, { limit: 1 })),
      bounded(plants.replace(STORE, aloe(1n), undefined)),
      bounded(plants.delete(STORE, 1n, undefined)),
    ]);
    assert.deepEqual(new Set(outcomes), new Set(['unreachable']));
    const flood = await Promise.all(
      Array.from({ length: 64 }, (_, i) => bounded(plants.create(STORE, aloe(BigInt(i))))),
    );
    assert.deepEqual(new Set(flood), new Set(['unreachable', 'overloaded']), 'the queue is bounded');
    // The server does not see that a client has left; a statement that went on would write long after the response.
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'plantstore' AND wait_event_type = 'Lock'";
    const patience = performance.now() + 5 * BOUND;
    while ((await execute(server.url, waiting)).length > 0 && performance.now() < patience) await sleep(20);
    const left = await execute(server.url, waiting);
    await holder.query('ROLLBACK');
    await holder.end();
    assert.deepEqual(left, [], 'statements of nobody');
    assert.equal(await plants.create(STORE, aloe(100n)), 'created');
  });

  test('that holds a lock while hundreds of thousands wait, as --max-queue allows: all are refused in time', async () => {
    await using engine = await openEngine({ queueLimit: 1_000_000 });
    const holder = new pg.Client({ connectionString: engine.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
    const create = (id: number) => engine.plants.create(STORE, aloe(BigInt(id)));
    const first = create(-1);
    // The others are still waiting when the first is refused.
    first.catch(() => undefined);
    await sleep(BOUND / 5);
    const outcomes = await Promise.allSettled([first, ...Array.from({ length: 200_000 }, (_, id) => create(id))]);
    const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.reason : outcome.value));
    assert.deepEqual(new Set(reasons), new Set(['unreachable']));
    await holder.end();
  });

  test('that becomes read-only, as after a failover: writes and reads fail until a writable server is back', async () => {
    await using engine = await openEngine();
    const { plants } = engine;
    await plants.create(STORE, aloe(1n));
    // An administrator's session may write all the same.
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE');
    await admin.query('ALTER SYSTEM SET default_transaction_read_only = on');
    try {
      await admin.query('SELECT pg_reload_conf()');
      // A server that gives the setting to new connections has told those there are.
      const setting = async () => (await execute(server.url, 'SHOW default_transaction_read_only'))[0];
      while ((await setting())?.['default_transaction_read_only'] !== 'on') await sleep(10);
      assert.equal(await bounded(plants.create(STORE, aloe(2n))), 'unreachable');
      assert.equal(await bounded(plants.replace(STORE, aloe(1n), undefined)), 'unreachable');
    } finally {
      await admin.query('ALTER SYSTEM RESET default_transaction_read_only');
      await admin.query('SELECT pg_reload_conf()');
      await admin.end();
    }
    const back = performance.now();
    while ((await bounded(plants.create(STORE, aloe(2n)))) === 'unreachable') await sleep(10);
    assert.ok(performance.now() - back < RECOVERY);
  });

  test('that is set not to wait for the disk: it does for what the service writes', async () => {
    const setAsynchronous = async (statement: string, expected: string) => {
      await execute(server.url, statement);
      await execute(server.url, 'SELECT pg_reload_conf()');
      const setting = async () => (await execute(server.url, 'SHOW synchronous_commit'))[0]?.['synchronous_commit'];
      while ((await setting()) !== expected) await sleep(10);
    };
    const connectionOf = () => connectFirst(readServer(server.url, BOUND), BOUND);
    const before = await connectionOf();
    await setAsynchronous('ALTER SYSTEM SET synchronous_commit = off', 'off');
    try {
      for (const connection of [before, await connectionOf()]) {
        const statement = { name: '', text: 'SHOW synchronous_commit' };
        const { rows } = await connection.ask(statement, [], performance.now() + BOUND);
        await connection.end();
        assert.deepEqual(rows, [['on']]);
      }
    } finally {
      await setAsynchronous('ALTER SYSTEM RESET synchronous_commit', 'on');
    }
  });

  test('that is set to take NULL in an array for a text: plants without a tag are stored, beside those with one', async () => {
    await using schema = await createSchema(server.url);
    const engine = await openPostgres(`${schema.url}${encodeURIComponent(' -c array_nulls=off')}`, OPTIONS);
    const { plants } = engine;
    const there = [aloe(1n), { ...aloe(2n), tag: 'NULL' }];
    await Promise.all(there.map((plant) => plants.create(STORE, plant)));
    const found = await plants.list(STORE, { limit: 2 });
    await engine.close();
    assert.deepEqual(found, there);
  });

  test('that a failover took a token from, in whose place another was made: the tokens valid are read again', async () => {
    await using engine = await openEngine();
    const { tokens } = engine;
    const record = { store: STORE, scopes: ['plants:read'], expiresAt: undefined, revokedAt: undefined };
    await tokens.add({ ...record, name: 'kept', hash: 'kept', createdAt: 1 });
    await tokens.add({ ...record, name: 'lost', hash: 'lost', createdAt: 2 });
    const before = await tokens.revision();
    await execute(engine.url, "DELETE FROM tokens WHERE name = 'lost'");
    await tokens.add({ ...record, name: 'new', hash: 'new', createdAt: 4 });
    assert.notEqual(await tokens.revision(), before);
  });

  test('that ends the connection of a read: it is read again on another, and the client does not notice', async () => {
    await using engine = await openEngine({ timeout: 10 * BOUND });
    await engine.plants.create(STORE, aloe(1n));
    const holder = new pg.Client({ connectionString: engine.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
    const read = engine.plants.get(STORE, 1n);
    const waiting = "FROM pg_stat_activity WHERE application_name = 'plantstore' AND wait_event_type = 'Lock'";
    while ((await execute(server.url, `SELECT pg_terminate_backend(pid) ${waiting}`)).length === 0) await sleep(10);
    await holder.end();
    assert.equal((await read)?.name, 'Aloe 1');
  });

  test('whose connections are dead without a word, as after the loss of a machine: one client waits, and not one for each', async () => {
    const sockets = new Set<Socket>();
    const silent = new Set<Socket>();
    using line = await openLine(server.url, (near, far) => {
      const pass = (to: Socket) => (data: Buffer) => void (silent.has(near) || to.write(data));
      near.on('data', pass(far));
      far.on('data', pass(near));
      sockets.add(near);
    });
    await using engine = await openEngine({}, line.url);
    const get = () => engine.plants.get(STORE, 1n);
    await Promise.all(Array.from({ length: OPTIONS.connections }, get));
    // Those that were asked for and no longer needed open a moment later.
    const idle = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'plantstore' AND state = 'idle'
      AND (query LIKE 'SELECT id, %' OR query LIKE 'SELECT set_config(%')`;
    while ((await execute(server.url, idle)).length < OPTIONS.connections) await sleep(10);
    for (const socket of sockets) silent.add(socket);
    await bounded(
      assert.rejects(get(), { reason: 'unreachable', why: /: the connection was lost: no response in time$/ }),
    );
    assert.equal(await bounded(get()), undefined);
  });

  test('whose line says what is not PostgreSQL: that costs the connection, and a read is repeated on another', async () => {
    let garbage: Buffer | undefined;
    using line = await openLine(server.url, (near, far) => {
      near.on('data', (data) => far.write(data));
      far.on('data', (data) => {
        near.write(garbage ?? data);
        garbage = undefined;
      });
    });
    await using engine = await openEngine({}, line.url);
    // A message of no kind, which pg tells by an error without a code, and a row of -1 columns, of which it throws.
    for (const bytes of [
      [0, 0, 0, 0, 4],
      [0x44, 0, 0, 0, 6, 0xff, 0xff],
    ]) {
      garbage = Buffer.from(bytes);
      assert.equal(await bounded(engine.plants.get(STORE, 1n)), undefined);
      assert.equal(garbage, undefined);
    }
  });

  test('that has few connections: no more are opened than may be, and no more calls wait for one than may', async () => {
    await using engine = await openEngine({ connections: 2, queueLimit: 3, timeout: 10 * BOUND });
    const get = () => engine.plants.get(STORE, 1n);
    const holder = new pg.Client({ connectionString: engine.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
    const served = [get(), get()];
    const connections = () =>
      execute(server.url, "SELECT 1 FROM pg_stat_activity WHERE application_name = 'plantstore'");
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'plantstore' AND wait_event_type = 'Lock'";
    while ((await execute(server.url, waiting)).length < 2) await sleep(10);
    served.push(get(), get(), get());
    await assert.rejects(get(), { reason: 'overloaded' });
    assert.equal((await connections()).length, 2);
    await holder.end();
    assert.deepEqual(new Set(await Promise.all(served)), new Set([undefined]));
  });

  test('that takes no more connections than there are: calls wait for those', async () => {
    await using schema = await createSchema(server.url);
    await (await openPostgres(schema.url, OPTIONS)).close();
    const user = `user_${schema.name}`;
    await execute(
      server.url,
      `CREATE ROLE ${user} LOGIN PASSWORD 'not-a-secret' CONNECTION LIMIT 1; ALTER ROLE ${user} SET search_path = ${schema.name};
       GRANT USAGE ON SCHEMA ${schema.name} TO ${user}; GRANT ALL ON ALL TABLES IN SCHEMA ${schema.name} TO ${user}`,
    );
    const url = Object.assign(new URL(server.url), { username: user, password: 'not-a-secret' });
    const { plants, close } = await openPostgres(url.href, OPTIONS);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        bounded<unknown>(i % 2 ? plants.create(STORE, aloe(BigInt(i))) : plants.get(STORE, -1n)),
      ),
    );
    await close();
    await execute(server.url, `DROP OWNED BY ${user}; DROP ROLE ${user}`);
    assert.deepEqual(new Set(results), new Set([undefined, 'created']));
  });

  test('whose engine is closed: calls that wait and calls that come later are refused at once', async () => {
    const schema = await createSchema(server.url);
    const { plants, close } = await openPostgres(schema.url, { ...OPTIONS, connections: 1, timeout: 10 * BOUND });
    const holder = new pg.Client({ connectionString: schema.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
    const waiting = Promise.all([bounded(plants.get(STORE, 1n)), bounded(plants.get(STORE, 1n))]);
    await sleep(20);
    await close();
    assert.deepEqual(await waiting, ['unreachable', 'unreachable']);
    assert.equal(await bounded(plants.get(STORE, 1n)), 'unreachable');
    await holder.end();
    await schema[Symbol.asyncDispose]();
  });

  test('in which two tags share a digest: each list has its own plants, on every page', async () => {
    await using engine = await openEngine();
    for (let id = 1n; id <= 4n; id++) await engine.plants.create(STORE, { ...aloe(id), tag: 'succulent' });
    // A collision of the first 64 bits of SHA-256, which nobody can make by hand.
    await execute(engine.url, "UPDATE plants SET tag = 'other' WHERE id IN (1, 3)");
    const first = await engine.plants.list(STORE, { tag: 'succulent', limit: 1 });
    assert.deepEqual(
      first.map(({ id }) => id),
      [2n],
    );
    const rest = await engine.plants.list(STORE, { tag: 'succulent', after: 2n, limit: 10 });
    assert.deepEqual(
      rest.map(({ id }) => id),
      [4n],
    );
  });

  test('that has no space left: creates and replaces fail as out of space, and reads go on', async () => {
    await using engine = await openEngine();
    const { plants } = engine;
    await plants.create(STORE, aloe(1n));
    // The server's own error, raised where it would be.
    await execute(
      engine.url,
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON plants FOR EACH ROW EXECUTE FUNCTION full_disk()`,
    );
    assert.equal(await bounded(plants.create(STORE, aloe(2n))), 'out-of-space');
    assert.equal(await bounded(plants.replace(STORE, aloe(1n), undefined)), 'out-of-space');
    assert.equal((await plants.get(STORE, 1n))?.name, 'Aloe 1');
    await execute(engine.url, 'DROP TRIGGER full_disk ON plants');
    assert.equal(await plants.create(STORE, aloe(2n)), 'created');
  });

  test('whose tables are gone for a while, as during a restore: calls fail as unreachable, and succeed once they are back', async () => {
    await using engine = await openEngine();
    const { plants } = engine;
    await execute(engine.url, 'ALTER TABLE plants RENAME TO moved');
    assert.equal(await bounded(plants.create(STORE, aloe(1n))), 'unreachable');
    assert.equal(await bounded(plants.get(STORE, 1n)), 'unreachable');
    await execute(engine.url, 'ALTER TABLE moved RENAME TO plants');
    assert.equal(await plants.create(STORE, aloe(1n)), 'created');
  });

  test('whose tables are back without their key, as halfway through a restore: creates fail as unreachable until it is there', async () => {
    await using engine = await openEngine();
    const { plants } = engine;
    await execute(engine.url, 'ALTER TABLE plants DROP CONSTRAINT plants_pkey');
    assert.equal(await bounded(plants.create(STORE, aloe(1n))), 'unreachable');
    await execute(engine.url, 'ALTER TABLE plants ADD PRIMARY KEY (store, id)');
    assert.equal(await plants.create(STORE, aloe(1n)), 'created');
    await execute(engine.url, 'ALTER TABLE plants RENAME tag TO moved');
    assert.equal(await bounded(plants.get(STORE, 1n)), 'unreachable');
    await execute(engine.url, 'ALTER TABLE plants RENAME moved TO tag');
    assert.equal((await plants.get(STORE, 1n))?.name, 'Aloe 1');
  });

  test('whose user was dropped and made anew, or has another search_path: sessions from before are replaced', async () => {
    await using schema = await createSchema(server.url);
    await (await openPostgres(schema.url, OPTIONS)).close();
    const user = `user_${schema.name}`;
    const make = (name: string) =>
      execute(
        server.url,
        `CREATE ROLE ${user} LOGIN PASSWORD 'not-a-secret'; ALTER ROLE ${user} SET search_path = ${name};
         GRANT USAGE ON SCHEMA ${name} TO ${user}; GRANT ALL ON ALL TABLES IN SCHEMA ${name} TO ${user}`,
      );
    const drop = () => execute(server.url, `DROP OWNED BY ${user}; DROP ROLE ${user}`);
    await make(schema.name);
    const url = Object.assign(new URL(server.url), { username: user, password: 'not-a-secret' });
    const { plants, close } = await openPostgres(url.href, OPTIONS);
    const recovers = async () => {
      const deadline = performance.now() + RECOVERY;
      let outcome = await bounded(plants.create(STORE, aloe(1n)));
      while (outcome === 'unreachable' && performance.now() < deadline) {
        await sleep(100);
        outcome = await bounded(plants.create(STORE, aloe(1n)));
      }
      return outcome;
    };
    assert.equal(await plants.create(STORE, aloe(1n)), 'created');
    await drop();
    assert.equal(await bounded(plants.create(STORE, aloe(1n))), 'unreachable');
    await make(schema.name);
    assert.equal(await recovers(), 'same');
    const moved = `moved_${schema.name}`;
    await execute(
      server.url,
      `ALTER SCHEMA ${schema.name} RENAME TO ${moved}; ALTER ROLE ${user} SET search_path = ${moved}`,
    );
    assert.equal(await recovers(), 'same');
    await close();
    await execute(server.url, `ALTER SCHEMA ${moved} RENAME TO ${schema.name}`);
    await drop();
  });

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
    test(`that refuses a row for ${what} which was added to the tables: its create fails as unreachable`, async () => {
      await using engine = await openEngine();
      const { plants } = engine;
      await execute(engine.url, addition);
      // As long as a name may be, and such that the server cannot compress it.
      const name = Array.from({ length: 1024 }, (_, i) => String.fromCodePoint(0x20000 + ((i * 7919) % 40_000))).join(
        '',
      );
      assert.equal(await bounded(plants.create(STORE, { id: 1n, name })), 'unreachable');
      assert.equal(await plants.create(STORE, aloe(1n)), 'created');
    });
  }

  test('behind a pooler that gives its prepared statements away: calls go on over another connection', async () => {
    await using engine = await openEngine({ connections: 1 });
    const { plants } = engine;
    await plants.get(STORE, 1n);
    // As a pooler in transaction mode without max_prepared_statements leaves a connection.
    await execute(
      engine.url,
      'CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DEALLOCATE ALL; RETURN NEW; END $$',
    );
    await execute(engine.url, 'CREATE TRIGGER forget AFTER INSERT ON plants EXECUTE FUNCTION forget()');
    assert.equal(await plants.create(STORE, aloe(1n)), 'created');
    assert.equal((await plants.get(STORE, 1n))?.name, 'Aloe 1');
  });

  test('whose columns are given another type under way: the clients do not notice', async () => {
    await using engine = await openEngine();
    const { plants } = engine;
    await plants.create(STORE, aloe(1n));
    await plants.get(STORE, 1n);
    await execute(engine.url, 'ALTER TABLE plants ALTER name TYPE varchar');
    assert.equal((await plants.get(STORE, 1n))?.name, 'Aloe 1');
    assert.equal(await plants.create(STORE, aloe(1n)), 'same');
  });

  test('shared with another writer of the same plants: a batch waits in the order of the key, and deadlocks with none', async () => {
    await using engine = await openEngine({ timeout: 10 * BOUND });
    const other = new pg.Client({ connectionString: engine.url });
    await other.connect();
    const insert = (store: string, id: number) =>
      other.query('INSERT INTO plants (store, id, name, version) VALUES ($1, $2, $3, 1)', [store, id, `Aloe ${id}`]);
    await other.query('BEGIN');
    await insert('a', 1);
    // One batch, since they are of one turn of the event loop.
    const batch = Promise.all([
      engine.plants.create('b', aloe(1n)),
      engine.plants.create('a', aloe(10n)),
      engine.plants.create('a', aloe(2n)),
      engine.plants.create('a', aloe(1n)),
    ]);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'plantstore' AND wait_event_type = 'Lock'";
    while ((await execute(server.url, waiting)).length === 0) await sleep(10);
    // It waits for the first of them: whoever writes the others in the same order does not wait for it.
    await other.query("SET lock_timeout = '100ms'");
    for (const [store, id] of [
      ['a', 2],
      ['a', 10],
      ['b', 1],
    ] as const)
      await insert(store, id);
    await other.query('COMMIT');
    await other.end();
    assert.deepEqual(await batch, ['same', 'same', 'same', 'same']);
  });

  for (const state of ['40001', '40P01']) {
    test(`that rolls a statement back with ${state}: it is run again, and the client does not notice`, async () => {
      await using engine = await openEngine();
      const { plants } = engine;
      await plants.create(STORE, aloe(1n));
      await execute(
        engine.url,
        `CREATE SEQUENCE refusals;
         CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN IF nextval('refusals') % 3 <> 0 THEN RAISE EXCEPTION USING ERRCODE = '${state}'; END IF; RETURN NEW; END $$;
         CREATE TRIGGER conflict BEFORE INSERT OR UPDATE ON plants FOR EACH STATEMENT EXECUTE FUNCTION conflict()`,
      );
      assert.equal(await plants.create(STORE, aloe(2n)), 'created');
      const replaced = await plants.replace(STORE, aloe(1n), undefined);
      assert.ok(typeof replaced === 'object');
    });
  }

  test('that refuses a plant by a rule of its operator: the log tells the rule, and nothing of the plant', async () => {
    await using engine = await openEngine();
    const { plants, url } = engine;
    await execute(url, `ALTER TABLE plants ADD CONSTRAINT a_rule CHECK (name <> 'Agave')`);
    const stream = new PassThrough();
    const log = createLogger('trace', stream);
    await plants.create(STORE, { id: 1n, name: 'Agave' }).catch((err: unknown) => log.error({ err }, 'refused'));
    const line = String(stream.read());
    assert.match(line, /violates check constraint/);
    assert.doesNotMatch(line, /Agave/);
  });

  test('whose messages are in another language: what becomes of a connection is told by the code alone', () => {
    const german = (severity: string, code: string) =>
      Object.assign(new pg.DatabaseError('', 0, 'error'), { severity, code });
    assert.equal(endsConnection(german('FEHLER', '40P01')), false, 'a deadlock, after which the statement is repeated');
    assert.equal(endsConnection(german('FATAL', '57P01')), true);
  });

  test('that takes no more connections: calls wait for one of those there are', async () => {
    await using engine = await openEngine({ connections: 1 });
    const { plants } = engine;
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        i % 2 === 0 ? plants.create(STORE, aloe(BigInt(i))) : bounded(plants.get(STORE, BigInt(i - 1))),
      ),
    );
    assert.ok(!outcomes.includes('unreachable' as never));
  });
});

/** A call's outcome, or why the store could not serve; fails when it took longer than the bound. */
async function bounded<T>(call: Promise<T>): Promise<T | StoreFailureReason> {
  const start = performance.now();
  try {
    return await call;
  } catch (error) {
    if (error instanceof StoreFailure) return error.reason;
    throw error;
  } finally {
    const took = performance.now() - start;
    assert.ok(took < BOUND + SLACK, `a call took ${took} ms`);
  }
}
