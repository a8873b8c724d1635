/** Two services on one file are safe: each sees what the other stored, and one id has one winner. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateToken } from '../../src/auth/token.ts';
import { type Client, createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { runCommand, serveProcess } from '../harness/process.ts';

const WRITERS = 8;
const EACH = 40;
const CONTESTED = 40;

test('two services on one file lose no plant and agree on every plant', async () => {
  using directory = createDirectory();
  const database = ['--database', `sqlite:${directory.at('plants.db')}`];
  const env = { PLANTSTORE_TOKEN: generateToken() };
  const services = [await serveProcess(database, env), await serveProcess(database, env)];
  const clients = services.map(({ url }) => createClient(url, env.PLANTSTORE_TOKEN));
  const create = async (client: Client, id: number, name: string) => {
    const { status } = await client.send('POST', '/plants', { body: { id, name } });
    return status;
  };
  const own = clients.flatMap((client, side) =>
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let i = 0; i < EACH; i++) {
        const id = (i * WRITERS + writer) * clients.length + side;
        assert.equal(await create(client, id, `plant ${id}`), 200);
      }
    }),
  );
  const contested = Array.from({ length: CONTESTED }, async (_, i) => {
    const statuses = await Promise.all(clients.map((client, side) => create(client, -1 - i, `side ${side}`)));
    assert.deepEqual(statuses.toSorted(), [200, 400]);
  });
  await Promise.all([...own, ...contested]);

  const seen = await Promise.all(clients.map((client) => client.send('GET', '/plants?limit=1000')));
  const [first, second] = seen.map((response) => response.json() as { id: number; name: string }[]);
  assert.deepEqual(first, second);
  assert.equal(first?.length, clients.length * WRITERS * EACH + CONTESTED);
  for (const { id, name } of first ?? []) if (id >= 0) assert.equal(name, `plant ${id}`);
  for (const client of clients) client.close();
  for (const service of services) assert.equal(await service.stop('SIGTERM'), 0);
  assert.equal((await runCommand(['check', ...database])).code, 0);
});
