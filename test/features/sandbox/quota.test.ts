/** A full sandbox under 64 writers, which are spread over two replicas. Each replica is a process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withEngine } from '../../../src/stores/open.ts';
import { type Client, type ClientResponse, createClient, errorOf } from '../../harness/client.ts';
import { createDatabase } from '../../harness/database.ts';
import { serveProcess } from '../../harness/process.ts';
import { makeSandbox } from './sandbox.ts';

const WRITERS = 64;
const MOST = 40;
const LIMITS = ['--sandboxes', '5', '--sandbox-plants', String(MOST), '--sandbox-size', '64KiB'];
const LONG = 'é'.repeat(1_024);

const create = (client: Client, id: number, name = `Fern ${id}`) =>
  client.send('POST', '/plants', { body: { id, name } });
const count = (responses: readonly ClientResponse[], status: number) =>
  responses.filter((response) => response.status === status).length;
const errors = (responses: readonly ClientResponse[]) => [
  ...new Set(responses.filter(({ status }) => status >= 400).map(errorOf)),
];
const idsOf = async (client: Client) =>
  ((await client.send('GET', '/plants?limit=1000')).json() as readonly { id: number }[]).map(({ id }) => id);

for (const events of [[], ['--events']]) {
  test(`64 writers on two replicas never exceed the quota of a sandbox ${events.join()}`, async () => {
    await using database = await createDatabase();
    const start = () => serveProcess([...LIMITS, ...events, '--log-level', 'fatal', '--database', database.url]);
    await using one = await start();
    await using other = await start();
    const stranger = createClient(one.url, 'none');
    const { token } = await makeSandbox(stranger);
    const neighbour = createClient(other.url, (await makeSandbox(stranger)).token);
    const clients = [one, other].map(({ url }) => createClient(url, token));
    const clientOf = (writer: number) => clients[writer % 2] as Client;
    const together = (most: number, send: (client: Client, i: number) => Promise<ClientResponse>) =>
      Promise.all(Array.from({ length: most }, (_, i) => send(clientOf(i), i)));

    // The places are given exactly, and a replay succeeds in a full sandbox.
    const first = await together(WRITERS, create);
    assert.deepEqual([count(first, 200), errors(first)], [MOST, [40010]]);
    const stored = await idsOf(clientOf(0));
    assert.equal(stored.length, MOST);
    const mixed = await together(WRITERS, (client, i) => create(client, i < MOST ? Number(stored[i]) : 100 + i));
    assert.deepEqual([count(mixed, 200), errors(mixed)], [MOST, [40010]]);
    const removed = await together(10, (client, i) => client.send('DELETE', `/plants/${stored[i]}`));
    assert.equal(count(removed, 204), 10);
    const again = await together(WRITERS, (client, i) => create(client, 200 + i));
    assert.deepEqual([count(again, 200), errors(again)], [10, [40010]]);
    assert.equal((await create(neighbour, 1)).status, 200);

    // Long names reach the limit of the size too. Nothing but a full sandbox refuses a valid request.
    let isOver = false;
    const watch = async () => {
      while (!isOver) assert.ok((await idsOf(clientOf(1))).length <= MOST);
    };
    const watching = watch();
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      const client = clientOf(writer);
      for (let step = 0; step < 6; step++) {
        const id = (writer * 7 + step * 13) % 60;
        const name = (writer + step) % 4 === 0 ? LONG : `Fern ${step}`;
        const sent = [
          create(client, id, name),
          client.send('PUT', `/plants/${(id * 3) % 60}`, { body: { name } }),
          client.send('DELETE', `/plants/${(id * 5) % 60}`),
        ];
        for (const error of errors(await Promise.all(sent)))
          assert.ok([40009, 40010, 40401].includes(error), `${error}`);
      }
    });
    await Promise.all(writers);
    isOver = true;
    await watching;

    for (const client of [stranger, neighbour, ...clients]) client.close();
    for (const replica of [one, other]) assert.equal(await replica.stop('SIGTERM'), 0);
    await withEngine(database.url, 'read', false, async ({ check, statements }) => {
      assert.deepEqual((await check()).problems, []);
      const [held] = await statements.read('SELECT max(plants), max(bytes), count(*) FROM quotas');
      const [plants, bytes, stores] = (held ?? []).map(Number);
      assert.equal(stores, 2);
      assert.ok(Number(plants) > 1 && Number(plants) <= MOST && Number(bytes) <= 65_536, `${plants} ${bytes}`);
    });
  });
}
