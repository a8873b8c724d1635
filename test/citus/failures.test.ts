/** Tests a cluster that loses nodes under load: no confirmed plant is lost, and the stores of other nodes continue. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createDistributed,
  distribute,
  layOutTables,
  type Node,
  startNode,
  stopNode,
  urlOf,
} from '../harness/citus.ts';
import { type Client, createClient } from '../harness/client.ts';
import { createSchema, execute, type Schema, sharedPostgres } from '../harness/postgres.ts';
import { refusedWith, runCommand, serveProcess } from '../harness/process.ts';

const STORES = 24;
const WRITERS = 64;
const KILLS = 20;
const SHARDS = 32;

describe('a Citus cluster', () => {
  const server = sharedPostgres();
  let schema: Schema;
  /** One token for each store. */
  let tokens: readonly string[];
  before(async () => {
    ({ schema, tokens } = await createDistributed(server, STORES, SHARDS));
  });
  after(() => schema[Symbol.asyncDispose]());

  /** Starts a replica on each of these nodes, with a client for every store. */
  async function startOn(...nodes: readonly Node[]) {
    const replicas = await Promise.all(
      nodes.map((node) => serveProcess(['--log-level', 'fatal'], { DATABASE_URL: urlOf(schema.url, node) })),
    );
    const clients = replicas.map(({ url }) => tokens.map((token) => createClient(url, token)));
    return {
      clients,
      async [Symbol.asyncDispose]() {
        for (const client of clients.flat()) client.close();
        await Promise.all(replicas.map((replica) => replica.stop('SIGTERM')));
      },
    };
  }

  /**
   * Starts writers of plants with separate ids. They use the replicas in turn and repeat each write until it is
   * confirmed.
   */
  function write(replicas: readonly (readonly Client[])[], firstId: number) {
    const confirmed = Array.from({ length: STORES }, () => new Set<number>());
    const failures = Array.from({ length: STORES }, () => 0);
    let next = firstId;
    let stopped = false;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      const store = writer % STORES;
      const client = replicas[writer % replicas.length]?.[store] as Client;
      while (!stopped) {
        const id = next++;
        for (;;) {
          const response = await client.send('POST', '/plants', { body: { id, name: `Aloe ${id}`, tag: 'aloe' } });
          if (response.status === 200) {
            confirmed[store]?.add(id);
            break;
          }
          assert.equal(response.status, 503, response.text);
          failures[store] = (failures[store] ?? 0) + 1;
          if (stopped) break;
          await sleep(10);
        }
      }
    });
    return {
      confirmed,
      failures,
      total: () => confirmed.reduce((sum, ids) => sum + ids.size, 0),
      async stop() {
        stopped = true;
        await Promise.all(writers);
      },
    };
  }

  /** Finds the stores of a worker. */
  async function storesOn(node: Node): Promise<readonly number[]> {
    const port = new URL(urlOf(server, node)).port;
    const rows = await execute(
      schema.url,
      `SELECT i FROM generate_series(0, ${STORES - 1}) AS i JOIN pg_dist_shard_placement
         ON shardid = get_shard_id_for_distribution_column('plants', 'store-' || i) WHERE nodeport = ${port}`,
    );
    return rows.map(({ i }) => Number(i));
  }

  /** Reads the ids of a list by following its links. */
  async function list(client: Client, target: string | undefined): Promise<readonly number[]> {
    const ids: number[] = [];
    while (target !== undefined) {
      const page = await client.send('GET', target);
      // A session of the replica may still use the worker that went away.
      if (page.status === 503) continue;
      ids.push(...(page.json() as { id: number }[]).map(({ id }) => id));
      target = /<([^>]+)>/.exec(String(page.headers['link'] ?? ''))?.[1];
    }
    return ids;
  }

  test(`after ${KILLS} kills of workers under ${WRITERS} writers, lists contain every confirmed plant`, async () => {
    await using service = await startOn('coord', 'coord');
    const [readers = []] = service.clients;
    let elsewhere = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const [victim, other] = (kill % 2 === 0 ? ['w1', 'w2'] : ['w2', 'w1']) as [Node, Node];
      const spared = await storesOn(other);
      assert.ok(spared.length > 0 && spared.length < STORES);
      const writers = write(service.clients, kill * 1_000_000);
      while (writers.total() < 5 * WRITERS) await sleep(5);
      await stopNode(victim, '-m', 'immediate');
      const before = spared.reduce((sum, store) => sum + (writers.confirmed[store]?.size ?? 0), 0);
      await sleep(150);
      for (const store of spared) elsewhere += writers.confirmed[store]?.size ?? 0;
      elsewhere -= before;
      await startNode(victim);
      // Without waiting, since no transaction may be decided later.
      const soon = writers.confirmed.map((ids) => [...ids]);
      for (const [store, ids] of soon.entries()) {
        const after = kill * 1_000_000 - 1;
        const found = new Set(await list(readers[store] as Client, '/plants?limit=1000'));
        for (const id of ids) assert.ok(found.has(id), `plant ${id} of store ${store} is missing after kill ${kill}`);
        const id = ids.at(-1) ?? after;
        if (ids.length > 0) assert.equal((await readUntilServed(readers[store] as Client, id)).status, 200);
      }
      await writers.stop();
      for (const store of spared) assert.equal(writers.failures[store], 0, `store ${store} is on ${other}, which ran`);
      for (const [store, ids] of writers.confirmed.entries()) {
        const found = await list(readers[store] as Client, '/plants?limit=1000');
        assert.equal(new Set(found).size, found.length, 'none is listed twice');
        const tagged = await list(readers[store] as Client, '/plants?limit=1000&tag=aloe');
        assert.deepEqual(tagged, found);
        for (const id of ids) assert.ok(found.includes(id), `plant ${id} of store ${store} was lost`);
      }
      await execute(schema.url, 'DELETE FROM plants');
    }
    assert.ok(elsewhere > 0, 'creates were confirmed while a worker was down');
    for (const node of ['w1', 'w2'] as const) {
      assert.deepEqual(
        await execute(urlOf(server, node), 'SELECT gid FROM pg_prepared_xacts'),
        [],
        'nothing is in doubt',
      );
    }
  });

  async function readUntilServed(client: Client, id: number) {
    for (;;) {
      const response = await client.send('GET', `/plants/${id}`);
      if (response.status !== 503) return response;
    }
  }

  test('while the coordinator is stopped, replicas on workers store plants, and tokens stay valid', async () => {
    await using service = await startOn('w1', 'w2');
    const writers = write(service.clients, -1_000_000);
    while (writers.total() < 5 * WRITERS) await sleep(5);
    await stopNode('coord', '-m', 'immediate');
    const before = writers.total();
    try {
      // Longer than the pause in which replicas read changes of tokens.
      await sleep(3_000);
      for (const client of service.clients.flat()) {
        assert.equal((await client.send('GET', '/plants?limit=1')).status, 200);
      }
      assert.ok(writers.total() > before + 10 * WRITERS, `${writers.total() - before} creates without the coordinator`);
      await writers.stop();
    } finally {
      await startNode('coord');
    }
    assert.deepEqual(new Set(writers.failures), new Set([0]));
  });

  test('while one worker is down, a replica starts on the other, and a token is created and revoked', async () => {
    await stopNode('w2', '-m', 'immediate');
    try {
      await using service = await startOn('w1');
      const command = (...args: string[]) => runCommand(['token', ...args], { DATABASE_URL: schema.url });
      const token = /pst_\w+/.exec((await command('create', '--name', 'late')).stdout)?.[0] ?? '';
      const client = service.clients[0]?.[0] as Client;
      // 503 if its store is on the worker that is down.
      while ((await client.send('GET', '/plants', { token })).status === 401) await sleep(20);
      const revoked = await command('revoke', 'late');
      assert.equal(revoked.code, 0, revoked.stderr);
      while ((await client.send('GET', '/plants', { token })).status !== 401) await sleep(20);
    } finally {
      await startNode('w2');
    }
  });

  test('six replicas that start together on distributed tables show one first token', async () => {
    await using empty = await createSchema(server);
    await layOutTables(empty.url);
    await distribute(empty.url);
    const nodes = ['coord', 'w1', 'w2', 'coord', 'w1', 'w2'] as const;
    const started = await Promise.all(nodes.map((node) => serveProcess([], { DATABASE_URL: urlOf(empty.url, node) })));
    assert.equal(started.filter(({ token }) => token !== undefined).length, 1);
    await Promise.all(started.map((replica) => replica.stop('SIGTERM')));
  });

  test('a worker without the tables is refused in one line, and no tables are created', async () => {
    // The schema `public` is not used here.
    const url = urlOf(server, 'w1');
    const finished = await runCommand(['serve', '--port', '0'], { DATABASE_URL: url });
    refusedWith(finished, 1, /it is a Citus worker without the tables/);
    assert.deepEqual(await execute(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'"), []);
  });

  test('another distribution column, and a node that does not wait for its disk, are refused in one line', async () => {
    await using empty = await createSchema(server);
    await layOutTables(empty.url);
    await execute(empty.url, "SELECT create_distributed_table('plants', 'id', colocate_with => 'none')");
    const start = (url: string) => runCommand(['serve', '--port', '0'], { DATABASE_URL: url });
    refusedWith(await start(empty.url), 1, /plants is distributed by id, but must be by store/);
    const set = async (value: string) => {
      await execute(urlOf(server, 'w2'), `ALTER SYSTEM SET synchronous_commit = '${value}'`);
      await execute(urlOf(server, 'w2'), 'SELECT pg_reload_conf()');
      const shown = "SELECT result FROM run_command_on_all_nodes('SHOW synchronous_commit') WHERE result = 'off'";
      while ((await execute(server, shown)).length !== (value === 'off' ? 1 : 0)) await sleep(10);
    };
    await set('off');
    try {
      const { port } = new URL(urlOf(server, 'w2'));
      const line = new RegExp(`synchronous_commit is off on 127\\.0\\.0\\.1:${port}: turn it on on every node`);
      refusedWith(await start(schema.url), 1, line);
    } finally {
      await set('on');
    }
  });
});
