/** Tests several replicas on one PostgreSQL. Each is a process, and clients see one service. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type ClientResponse, createClient, errorOf } from '../harness/client.ts';
import { createSchema, type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { runCommand, serveProcess } from '../harness/process.ts';

const TOKEN = 'replicas-fixed-token';
/** The default time limit of a call to the database, plus the delay of a busy machine. */
const BOUND = 5_000;
const SLACK = 1_000;
const WRITERS = 64;
const STOPS = 5;

describe('three replicas on one PostgreSQL', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.remove());

  async function startReplicas(env: NodeJS.ProcessEnv = { PLANTSTORE_TOKEN: TOKEN }) {
    const schema = await createSchema(server.url);
    const replicas = await Promise.all(
      [1, 2, 3].map(() => serveProcess(['--log-level', 'fatal'], { DATABASE_URL: schema.url, ...env })),
    );
    const clients = replicas.map(({ url }) => createClient(url, TOKEN));
    return {
      url: schema.url,
      replicas,
      clients,
      async [Symbol.asyncDispose]() {
        for (const client of clients) client.close();
        await Promise.all(replicas.map((replica) => replica.stop('SIGTERM')));
        await schema[Symbol.asyncDispose]();
      },
    };
  }

  test('five immediate stops under 64 writers lose no confirmed plant, and every request ends in time', async (t) => {
    await using service = await startReplicas();
    const { clients, replicas } = service;
    const confirmed = new Set<number>();
    let next = 1;
    let stopped = false;
    let longest = 0;
    const timed = async (client: Client, method: string, target: string, body?: unknown): Promise<ClientResponse> => {
      const start = performance.now();
      const response = await client.send(method, target, { body });
      longest = Math.max(longest, performance.now() - start);
      return response;
    };
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      const client = clients[writer % clients.length] as Client;
      while (!stopped) {
        const id = next++;
        // Repeats the request, as a client would, until the plant is confirmed.
        for (;;) {
          const response = await timed(client, 'POST', '/plants', { id, name: `Aloe ${id}` });
          if (response.status === 200) {
            confirmed.add(id);
            break;
          }
          assert.equal(response.status, 503, response.text);
          assert.ok(Number(response.headers['retry-after']) > 0);
          if (stopped) break;
          await sleep(20);
        }
      }
    });
    try {
      for (let i = 0; i < STOPS; i++) {
        const before = confirmed.size;
        while (confirmed.size < before + 2 * WRITERS) await sleep(10);
        await server.stop('SIGQUIT');
        await sleep(200);
        await server.start();
        const back = performance.now();
        await Promise.all(
          clients.map(async (client) => {
            const id = -(i + 1);
            while ((await timed(client, 'POST', '/plants', { id, name: 'Back' })).status !== 200) await sleep(10);
            const took = performance.now() - back;
            assert.ok(took < BOUND, `traffic was back after ${took} ms`);
          }),
        );
      }
    } finally {
      // The writers would otherwise fail when the services stop, and hide the reason.
      stopped = true;
      await Promise.allSettled(writers);
    }
    await Promise.all(writers);
    assert.ok(longest < BOUND + SLACK, `a client waited ${longest} ms`);
    assert.ok(confirmed.size > WRITERS * STOPS, `only ${confirmed.size} were stored`);

    const found = new Set<number>();
    const reader = clients[0] as Client;
    for (let target: string | undefined = '/plants?limit=1000'; target !== undefined; ) {
      const page: ClientResponse = await reader.send('GET', target);
      for (const { id } of page.json() as { id: number }[]) found.add(id);
      target = /<([^>]+)>/.exec(String(page.headers['link'] ?? ''))?.[1];
    }
    for (const id of confirmed) assert.ok(found.has(id), `plant ${id} was confirmed and is gone`);
    for (const { child } of replicas) assert.equal(child.exitCode, null, 'no replica ended');
    t.diagnostic(`${STOPS} kills of PostgreSQL`);
    t.diagnostic(`${confirmed.size} confirmed plants`);
  });

  test('clients of different replicas see one service', async (t) => {
    await using service = await startReplicas();

    await t.test('if several replicas create one id at the same time, exactly one wins', async () => {
      const { clients } = service;
      for (let id = 1; id <= 20; id++) {
        const names = Array.from({ length: 12 }, (_, i) => `Aloe ${i}`);
        const create = (name: string, i: number) => clients[i % 3]?.send('POST', '/plants', { body: { id, name } });
        const responses = await Promise.all(names.map(create));
        const winners = names.filter((_, i) => responses[i]?.status === 200);
        assert.equal(winners.length, 1, `plant ${id}`);
        for (const one of responses) if (one?.status !== 200) assert.equal(one && errorOf(one), 40009);
        for (const client of clients) {
          assert.deepEqual((await client.send('GET', `/plants/${id}`)).json(), { id, name: winners[0] });
        }
      }
    });

    await t.test('other replicas immediately see writes, entity tags and cursors of one replica', async () => {
      const [first, second, third] = service.clients as [Client, Client, Client];
      for (let id = 101; id <= 103; id++) await first.send('POST', '/plants', { body: { id, name: 'Aloe', tag: 'a' } });
      const read = await second.send('GET', '/plants/101');
      const headers = { 'If-Match': read.headers.etag ?? '' };
      assert.equal((await third.send('PUT', '/plants/101', { body: { name: 'Agave' }, headers })).status, 200);
      assert.equal((await first.send('PUT', '/plants/101', { body: { name: 'Late' }, headers })).status, 412);
      const page = await first.send('GET', '/plants?limit=1&tag=a');
      const link = /<([^>]+)>/.exec(String(page.headers['link']))?.[1] ?? '';
      assert.deepEqual((await second.send('GET', link)).json(), [{ id: 103, name: 'Aloe', tag: 'a' }]);
    });
  });

  test('one replica shows the first token, and changes of tokens take effect everywhere within a second', async () => {
    await using service = await startReplicas({});
    const { replicas } = service;
    const shown = replicas.map(({ token }) => token).filter((token) => token !== undefined);
    assert.equal(shown.length, 1);
    const command = (...args: string[]) => runCommand(['token', ...args], { DATABASE_URL: service.url });
    const made = await command('create', '--name', 'gardener');
    const token = /pst_\w+/.exec(made.stdout)?.[0] ?? '';
    const isSeenBy = async (client: Client, status: number) => {
      const deadline = performance.now() + 1_000 + SLACK;
      const get = async () => (await client.send('GET', '/plants', { token })).status;
      while ((await get()) !== status) {
        assert.ok(performance.now() < deadline, `no ${status} within a second`);
        await sleep(20);
      }
    };
    for (const client of service.clients) {
      assert.equal((await client.send('GET', '/plants', { token: shown[0] ?? '' })).status, 200);
    }
    await Promise.all(service.clients.map((client) => isSeenBy(client, 200)));
    const revoked = await command('revoke', 'gardener');
    assert.equal(revoked.code, 0, revoked.stderr);
    await Promise.all(service.clients.map((client) => isSeenBy(client, 401)));
  });

  test('replicas with --reuse-port share one port', async () => {
    await using schema = await createSchema(server.url);
    const env = { DATABASE_URL: schema.url, PLANTSTORE_TOKEN: TOKEN };
    const first = await serveProcess(['--reuse-port'], env);
    const second = await serveProcess(['--reuse-port', '--port', new URL(first.url).port], env);
    const client = createClient(first.url, TOKEN);
    assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 200);
    assert.equal(await first.stop('SIGTERM'), 0);
    client.close();
    const left = createClient(second.url, TOKEN);
    assert.equal((await left.send('GET', '/plants/1')).status, 200);
    left.close();
    assert.equal(await second.stop('SIGTERM'), 0);
  });
});
