/** Node's own confinement: what the operating guide grants is enough, and nothing beside it can be read or written. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import selfsigned from 'selfsigned';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { outgrowLog } from '../harness/long-log.ts';
import { createSchema, sharedPostgres } from '../harness/postgres.ts';
import { MAIN, runCommand, serveProcess } from '../harness/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
/** The words between `node` and the program in the guide's command. */
const documented =
  /^node_modules\/\.bin\/node (--permission [^\n]*?) src\/main\.ts serve/m.exec(GUIDE)?.[1]?.split(' ') ?? [];

function place() {
  const directory = createDirectory();
  const inside = directory.at('data');
  mkdirSync(inside);
  const grants = documented.map((grant) =>
    grant.replace(/=data$/, `=${inside}`).replace(/=(src|node_modules)$/, `=${ROOT}$1`),
  );
  const confined = (given: readonly string[]) => ({ command: [process.execPath, ...given, MAIN] as const });
  return {
    grants,
    confined,
    program: confined(grants),
    inside: (name: string) => join(inside, name),
    outside: directory.at,
    [Symbol.dispose]: directory[Symbol.dispose],
  };
}

test('with the grants of the operating guide the service stores plants, merges its log and shows its page', async () => {
  using at = place();
  assert.ok(at.grants.includes('--permission'));
  const service = await serveProcess(['--database', `sqlite:${at.inside('plants.db')}`], {}, at.program);
  const client = createClient(service.url, service.token ?? 'none');
  try {
    assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 200);
    assert.deepEqual((await client.send('GET', '/plants/1')).json(), { id: 1, name: 'Aloe' });
    assert.equal((await client.send('GET', '/', { token: null })).status, 200);
    await outgrowLog(client, at.inside('plants.db'));
  } finally {
    client.close();
    assert.equal(await service.stop('SIGTERM'), 0);
  }
});

test('a file outside is not read and a database outside is not made, by the service or by its threads', async () => {
  using at = place();
  const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: 'localhost' }]);
  const tls = (where: (name: string) => string) => {
    writeFileSync(where('key.pem'), key);
    writeFileSync(where('cert.pem'), cert);
    return ['--tls-key', where('key.pem'), '--tls-cert', where('cert.pem')];
  };
  const within = ['--database', `sqlite:${at.inside('plants.db')}`];
  const refused = await runCommand(['serve', ...within, ...tls(at.outside)], {}, at.program);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^plantstore: cannot read .*\.pem: ERR_ACCESS_DENIED$/m);
  const service = await serveProcess([...within, ...tls(at.inside)], {}, at.program);
  assert.match(service.url, /^https:/, 'the same files within are read');
  assert.equal(await service.stop('SIGTERM'), 0);

  const elsewhere = await runCommand(['serve', '--database', `sqlite:${at.outside('plants.db')}`], {}, at.program);
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.stderr, /^plantstore: cannot use the database file .*Access to this API has been restricted/m);
  assert.equal(existsSync(at.outside('plants.db')), false);
});

test('on PostgreSQL the service needs neither threads nor a folder to write to', async () => {
  using at = place();
  await using schema = await createSchema(sharedPostgres());
  const fewer = at.grants.filter((grant) => !/worker|write|data$/.test(grant));
  const service = await serveProcess(['--database', schema.url], {}, at.confined(fewer));
  const client = createClient(service.url, service.token ?? 'none');
  assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 200);
  client.close();
  assert.equal(await service.stop('SIGTERM'), 0);
});
