/** Node's permission model: the grants in docs/security.md are enough, and the service can use no other file. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
const GUIDE = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
/** The flags between `node` and the program in the command on that page. */
const documented =
  /^node_modules\/\.bin\/node (--permission [\s\S]*?) lab\/main\.ts serve/m.exec(GUIDE)?.[1]?.split(/[\s\\]+/) ?? [];

function place() {
  const directory = createDirectory();
  const inside = directory.at('data');
  mkdirSync(inside);
  const grants = documented.map((grant) =>
    grant.replace(/=data$/, `=${inside}`).replace(/=(src|lab|node_modules)$/, `=${ROOT}$1`),
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

test('with the documented grants the service stores plants, checkpoints, serves its page and restarts', async () => {
  using at = place();
  assert.ok(at.grants.includes('--permission'));
  const start = () => serveProcess(['--database', `sqlite:${at.inside('plants.db')}`], {}, at.program);
  const service = await start();
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
  const again = await start();
  assert.equal(await again.stop('SIGTERM'), 0, 'the second start');
});

test('a service that may compile no code from texts sends the same responses', async () => {
  using at = place();
  const program = at.confined([...at.grants, '--disallow-code-generation-from-strings']);
  const service = await serveProcess(['--database', `sqlite:${at.inside('plants.db')}`], {}, program);
  const client = createClient(service.url, service.token ?? 'none');
  try {
    for (const body of [
      { id: 1, name: 'Aloe', tag: '' },
      { id: 2, name: '"' },
    ]) {
      assert.equal((await client.send('POST', '/plants', { body })).status, 200);
    }
    assert.equal((await client.send('GET', '/plants')).text, '[{"id":1,"name":"Aloe","tag":""},{"id":2,"name":"\\""}]');
  } finally {
    client.close();
    assert.equal(await service.stop('SIGTERM'), 0);
  }
});

test('a database in a missing folder is refused, also the second time, with the name of the folder', async () => {
  using at = place();
  for (const start of ['first', 'second']) {
    const database = `sqlite:${at.inside('new/plants.db')}`;
    const refused = await runCommand(['serve', '--port', '0', '--database', database], {}, at.program);
    assert.equal(refused.code, 1, `the ${start} start`);
    const [line] = refused.stderr.match(/^plantstore: .*$/m) ?? [];
    assert.ok(line?.includes(`: there is no folder ${at.inside('new')}; create it first`), refused.stderr);
    assert.equal(existsSync(at.inside('new')), false);
  }
  mkdirSync(at.inside('new'));
  const service = await serveProcess(['--database', `sqlite:${at.inside('new/plants.db')}`], {}, at.program);
  assert.equal(await service.stop('SIGTERM'), 0);
});

test('a backup is refused before it copies, since Node cannot sync the copy', async () => {
  using at = place();
  const database = `sqlite:${at.inside('plants.db')}`;
  const made = await runCommand(['token', 'create', '--create', '--database', database], {}, at.program);
  assert.equal(made.code, 0, made.stderr);
  const refused = await runCommand(['backup', at.inside('copy.db'), '--database', database], {}, at.program);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^plantstore: cannot write .*copy\.db: .* permission model .* without --permission$/m);
  assert.deepEqual(
    readdirSync(at.inside('.')).filter((name) => name.startsWith('copy')),
    [],
  );
});

test('without a grant that it needs, the service names the grant in one line', async () => {
  using at = place();
  for (const flag of ['--allow-worker', '--allow-net']) {
    assert.ok(at.grants.includes(flag), flag);
    const program = at.confined(at.grants.filter((grant) => grant !== flag));
    const refused = await runCommand(
      ['serve', '--port', '0', '--database', `sqlite:${at.inside('p.db')}`],
      {},
      program,
    );
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      new RegExp(`^plantstore: .*permission model forbids it; start Node with ${flag}$`, 'm'),
    );
    assert.doesNotMatch(refused.stderr, /^ +at /m);
  }
});

test('neither the service nor its threads can read a file or create a database outside the grants', async () => {
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
  assert.match(
    refused.stderr,
    /^plantstore: cannot read .*\.pem: Node's permission model forbids it \(ERR_ACCESS_DENIED\); allow /m,
  );
  const service = await serveProcess([...within, ...tls(at.inside)], {}, at.program);
  assert.match(service.url, /^https:/, 'the service reads the same files inside the grants');
  assert.equal(await service.stop('SIGTERM'), 0);

  const elsewhere = await runCommand(['serve', '--database', `sqlite:${at.outside('plants.db')}`], {}, at.program);
  assert.equal(elsewhere.code, 1);
  assert.match(
    elsewhere.stderr,
    /^plantstore: cannot use the database file .*Node's permission model forbids it \(ERR_ACCESS_DENIED\); allow /m,
  );
  assert.equal(existsSync(at.outside('plants.db')), false);
});

test('on PostgreSQL the service needs no threads and no writable folder', async () => {
  using at = place();
  await using schema = await createSchema(sharedPostgres());
  const fewer = at.grants.filter((grant) => !/worker|write|data$/.test(grant));
  const service = await serveProcess(['--database', schema.url], {}, at.confined(fewer));
  const client = createClient(service.url, service.token ?? 'none');
  assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 200);
  client.close();
  assert.equal(await service.stop('SIGTERM'), 0);
});
