/**
 * Tests the engine on a server that fails in many ways: calls end in time, nothing confirmed is lost, and it recovers.
 */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openClient } from '../../../src/stores/postgres/client.ts';
import { connectFirst, readServer } from '../../../src/stores/postgres/database.ts';
import { openPostgres } from '../../../src/stores/postgres/index.ts';
import type { Query } from '../../../src/stores/postgres/session.ts';
import { openLine } from '../../harness/line.ts';
import { execute, type PostgresServer, startPostgres } from '../../harness/postgres.ts';
import {
  aloe,
  BOUND,
  bounded,
  create,
  createUser,
  cutWaiting,
  type Engine,
  lockPlants,
  OPTIONS,
  openOn,
  read,
  recovered,
  replace,
  STORE,
  untilWaiting,
} from './server.ts';

describe('a store on a PostgreSQL that fails', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.remove());

  const open = (options = {}, url = server.url) => openOn(url, options);
  const patient = { timeout: 10 * BOUND };
  /** Waits until a query has no rows. */
  const untilNone = async (query: string) => {
    for (let i = 0; i < 40; i++) {
      if ((await execute(server.url, query)).length === 0) return;
      await sleep(50);
    }
    assert.fail(`still ${(await execute(server.url, query)).length} rows`);
  };

  /** Creates plants from 16 clients until `stop` is called, which checks all confirmed plants. */
  function writeTo(engine: Engine) {
    const answered: bigint[] = [];
    let next = 100n;
    let stopped = false;
    const writers = Array.from({ length: 16 }, async () => {
      while (!stopped) {
        const id = next++;
        if ((await create(engine, id)) === 'created') answered.push(id);
        else await sleep(5);
      }
    });
    const stop = async () => {
      stopped = true;
      await Promise.all(writers);
      for (const id of answered) assert.deepEqual((await engine.plants.get(STORE, id))?.name, `Aloe ${id}`);
    };
    return {
      answered,
      stop,
      /** Also runs if a test fails, since writers would keep the process alive. */
      [Symbol.dispose]() {
        stopped = true;
      },
    };
  }

  for (const signal of ['SIGQUIT', 'SIGKILL', 'SIGINT'] as const) {
    test(`when the server is ended by ${signal}, calls fail in time, and succeed soon after it is back`, async () => {
      await using engine = await open();
      using writers = writeTo(engine);
      const { answered, stop } = writers;
      while (answered.length < 100) await sleep(10);
      await server.stop(signal);
      const calls = async () =>
        new Set(await Promise.all([read(engine), replace(engine), bounded<unknown>(engine.tokens.list())]));
      const deadline = performance.now() + BOUND;
      let results: Awaited<ReturnType<typeof calls>>;
      let gone: number;
      // The processes of a killed server may respond once more before they notice.
      do {
        gone = performance.now();
        results = await calls();
      } while (results.size > 1 && gone < deadline);
      assert.deepEqual(results, new Set(['unreachable']));
      // When the server has been away for longer than the time limit, calls fail immediately.
      await sleep(gone + 1.5 * BOUND - performance.now());
      const asked = performance.now();
      assert.deepEqual(await calls(), new Set(['unreachable']));
      assert.ok(performance.now() - asked < BOUND, 'calls are refused immediately');
      await server.start();
      await recovered(engine);
      await stop();
    });
  }

  test('when connections are ended one by one, nothing confirmed is lost and the others continue', async () => {
    await using engine = await open();
    using writers = writeTo(engine);
    const { answered, stop } = writers;
    for (let i = 0; i < 10; i++) {
      await execute(
        engine.url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'plantstore%' LIMIT 1",
      );
      const before = answered.length;
      while (answered.length === before) await sleep(20);
    }
    await stop();
  });

  test('while a lock is held, every call ends in time, and the store serves after its release', async () => {
    await using engine = await open({ queueLimit: 8 });
    const { plants } = engine;
    await plants.create(STORE, aloe(1n));
    const holder = await lockPlants(engine.url);
    const results = await Promise.all<unknown>([
      create(engine, 2n),
      read(engine),
      bounded(plants.list(STORE, { limit: 1 })),
      replace(engine),
      bounded(plants.delete(STORE, 1n, undefined)),
    ]);
    assert.deepEqual(new Set(results), new Set(['unreachable']));
    const flood = await Promise.all(Array.from({ length: 64 }, (_, i) => create(engine, BigInt(i))));
    assert.deepEqual(new Set(flood), new Set(['unreachable', 'overloaded']), 'the queue is bounded');
    // The server does not notice that a client left. A statement could write long after the response.
    await untilWaiting(server.url, 0);
    await holder.end();
    assert.equal(await create(engine, 100n), 'created');
  });

  test('hundreds of thousands of calls that wait for a lock, as --max-queue allows, are refused in time', async () => {
    await using engine = await open({ queueLimit: 1_000_000 });
    const holder = await lockPlants(engine.url);
    const send = (id: number) => engine.plants.create(STORE, aloe(BigInt(id)));
    const first = send(-1);
    // The others are still waiting when the first is refused.
    first.catch(() => undefined);
    await sleep(BOUND / 5);
    const outcomes = await Promise.allSettled([first, ...Array.from({ length: 200_000 }, (_, id) => send(id))]);
    const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.reason : outcome.value));
    assert.deepEqual(new Set(reasons), new Set(['unreachable']));
    await holder.end();
  });

  /** Changes a setting of the server. Once new connections use it, open connections do too. */
  async function configured(setting: string, value: string, work: () => Promise<void>) {
    // An administrator may still write.
    const admin = `${server.url}?options=${encodeURIComponent('-c default_transaction_read_only=off')}`;
    const current = async () => (await execute(server.url, `SHOW ${setting}`))[0]?.[setting];
    const change = async (statement: string, isDone: (value: unknown) => boolean) => {
      await execute(admin, statement);
      await execute(admin, 'SELECT pg_reload_conf()');
      while (!isDone(await current())) await sleep(10);
    };
    await change(`ALTER SYSTEM SET ${setting} = ${value}`, (now) => now === value);
    try {
      await work();
    } finally {
      await change(`ALTER SYSTEM RESET ${setting}`, (now) => now !== value);
    }
  }

  test('when the server becomes read-only, as after a failover, calls fail until it is writable', async () => {
    await using engine = await open();
    await create(engine, 2n);
    await configured('default_transaction_read_only', 'on', async () => {
      assert.equal(await create(engine), 'unreachable');
      assert.equal(await replace(engine, 2n), 'unreachable');
    });
    assert.equal(await recovered(engine), 'created');
  });

  test('writes of the service wait for the disk even if the server is set not to wait', async () => {
    const connect = () => connectFirst(readServer(server.url, BOUND), BOUND);
    const before = await connect();
    await configured('synchronous_commit', 'off', async () => {
      for (const connection of [before, await connect()]) {
        const rows = await connection.ask('SHOW synchronous_commit');
        await connection.end();
        assert.deepEqual(rows, [['on']]);
      }
    });
  });

  test('a read whose connection is ended is repeated on another, and the client notices nothing', async () => {
    await using engine = await open(patient);
    await create(engine);
    const holder = await lockPlants(engine.url);
    const found = engine.plants.get(STORE, 1n);
    await cutWaiting(server.url);
    await holder.end();
    assert.equal((await found)?.name, 'Aloe 1');
  });

  test('when all connections are silently dead, as after the loss of a machine, only one client waits', async () => {
    const sockets = new Set<Socket>();
    const silent = new Set<Socket>();
    using line = await openLine(server.url, (near, far) => {
      const pass = (to: Socket) => (data: Buffer) => void (silent.has(near) || to.write(data));
      near.on('data', pass(far));
      far.on('data', pass(near));
      sockets.add(near);
    });
    await using engine = await open({}, line.url);
    await Promise.all(Array.from({ length: OPTIONS.connections }, () => read(engine)));
    // Connections that are no longer needed may still open a moment later.
    const idle = `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'plantstore%' AND state = 'idle'
      AND (query LIKE 'SELECT id, %' OR query LIKE 'SELECT set_config(%')`;
    while ((await execute(server.url, idle)).length < OPTIONS.connections) await sleep(10);
    for (const socket of sockets) silent.add(socket);
    const lost = { reason: 'unreachable', why: /: the connection was lost: no response in time$/ };
    await bounded(assert.rejects(engine.plants.get(STORE, 1n), lost));
    assert.equal(await read(engine), undefined);
  });

  test('a call whose time ends while the server responds costs no other call its session', async () => {
    await using engine = await open();
    const client = openClient({ connectionString: engine.url }, { ...OPTIONS, connections: 2, timeout: 3_000 });
    const sleepAndTell = async (query: Query) => (await query('SELECT pg_backend_pid(), pg_sleep(0.2)'))[0]?.[0];
    try {
      const sessions = await Promise.all([client.write(sleepAndTell), client.write(sleepAndTell)]);
      const slow = client.write(async (query) => {
        await query('SELECT pg_sleep(2)');
        await query('SELECT pg_sleep(2)');
      });
      await assert.rejects(slow, { reason: 'unreachable' });
      const session = await client.write(sleepAndTell);
      assert.ok(sessions.includes(session), `${session} is none of ${sessions}`);
    } finally {
      await client.close();
    }
  });

  test('bytes of another protocol close the connection, and a read is repeated on another', async () => {
    let garbage: Buffer | undefined;
    using line = await openLine(server.url, (near, far) => {
      near.on('data', (data) => far.write(data));
      far.on('data', (data) => {
        near.write(garbage ?? data);
        garbage = undefined;
      });
    });
    await using engine = await open({}, line.url);
    // A message of unknown kind, for which pg emits an error without a code, and a row of -1 columns, for which it
    // throws.
    for (const bytes of ['\0\0\0\0\x04', 'D\0\0\0\x06\xff\xff']) {
      garbage = Buffer.from(bytes, 'latin1');
      assert.equal(await read(engine), undefined);
      assert.equal(garbage, undefined);
    }
  });

  test('the options limit the open connections and the waiting calls', async () => {
    await using engine = await open({ ...patient, connections: 2, queueLimit: 3 });
    const get = () => engine.plants.get(STORE, 1n);
    const holder = await lockPlants(engine.url);
    const served = [get(), get()];
    await untilWaiting(server.url, 2);
    served.push(get(), get(), get());
    await assert.rejects(get(), { reason: 'overloaded' });
    const connections = "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'plantstore%'";
    assert.equal((await execute(server.url, connections)).length, 2);
    await holder.end();
    assert.deepEqual(new Set(await Promise.all(served)), new Set([undefined]));
  });

  test('connections that find no table are closed, and calls succeed once it is back', async () => {
    await using engine = await open();
    const connections = "FROM pg_stat_activity WHERE application_name LIKE 'plantstore%'";
    await execute(engine.url, 'ALTER TABLE plantstore_meta RENAME TO away');
    await execute(server.url, `SELECT pg_terminate_backend(pid) ${connections}`);
    for (let i = 0; i < 5; i++) assert.equal(await read(engine), 'unreachable');
    await untilNone(`SELECT 1 ${connections}`);
    await execute(engine.url, 'ALTER TABLE away RENAME TO plantstore_meta');
    assert.equal(await recovered(engine), 'created');
  });

  test('when the server accepts no further connection, calls wait for the open ones', async () => {
    await using made = await open();
    await using user = await createUser(server.url, made.name, 'ALL');
    await execute(server.url, `ALTER ROLE ${user.name} CONNECTION LIMIT 1`);
    const engine = { ...made, ...(await openPostgres(user.url, OPTIONS)) };
    const results = await Promise.all<unknown>(
      Array.from({ length: 200 }, (_, i) => (i % 2 ? create(engine, BigInt(i)) : read(engine, -1n))),
    );
    await engine.close();
    assert.deepEqual(new Set(results), new Set([undefined, 'created']));
  });

  test('when the engine is closed, many waiting calls are refused without a warning of Node', async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error) => void warnings.push(warning);
    process.on('warning', listener);
    await using engine = await open({ ...patient, connections: 1 });
    const holder = await lockPlants(engine.url);
    const waiting = Promise.all(Array.from({ length: 30 }, () => read(engine)));
    await untilWaiting(server.url, 1);
    await engine.close();
    // A connection would be open by then.
    await execute(server.url, 'SELECT pg_sleep(0.2)');
    process.off('warning', listener);
    await holder.end();
    assert.deepEqual([new Set(await waiting), warnings], [new Set(['unreachable']), []]);
  });

  test('when the engine is closed, waiting and later calls are refused immediately', async () => {
    await using engine = await open({ ...patient, connections: 1 });
    const holder = await lockPlants(engine.url);
    const waiting = Promise.all([read(engine), read(engine)]);
    await sleep(20);
    await engine.close();
    assert.deepEqual(await waiting, ['unreachable', 'unreachable']);
    assert.equal(await read(engine), 'unreachable');
    await holder.end();
  });

  test('a batch locks plants in the order of their keys, so that it never deadlocks with another writer', async () => {
    await using engine = await open(patient);
    const other = new pg.Client({ connectionString: engine.url });
    await other.connect();
    const insert = ({ store, id }: { store: string; id: bigint }) =>
      other.query('INSERT INTO plants (store, id, name, version) VALUES ($1, $2, $3, 1)', [store, id, `Aloe ${id}`]);
    await other.query('BEGIN');
    const first = { store: 'a', id: 1n };
    const rest = [
      { ...first, id: 2n },
      { ...first, id: 10n },
      { ...first, store: 'b' },
    ];
    await insert(first);
    // They are one batch, since they arrive in one turn of the event loop.
    const all = [...rest.toReversed(), first];
    const batch = Promise.all(all.map(({ store, id }) => engine.plants.create(store, aloe(id))));
    await untilWaiting(server.url, 1);
    // The batch waits for the first plant, so another writer in the same order can write the others.
    await other.query("SET lock_timeout = '100ms'");
    for (const one of rest) await insert(one);
    await other.query('COMMIT');
    await other.end();
    assert.deepEqual(await batch, ['same', 'same', 'same', 'same']);
  });
});
