/** The library in a program whose built-in classes are not those of Node, as Jest and Vitest with jsdom have them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** Classes of another realm. Node still creates its values with its own classes. */
const OTHER_REALM = `
  import { runInNewContext } from 'node:vm';
  const names = ['AggregateError', 'Array', 'ArrayBuffer', 'Date', 'Error', 'Map', 'Object', 'Promise', 'RangeError',
    'RegExp', 'Set', 'SyntaxError', 'TypeError', 'URIError', 'Uint8Array'];
  for (const name of names) globalThis[name] = runInNewContext(name);
  if (Buffer.alloc(1) instanceof Uint8Array) throw new Error('this is not another realm');
  const { startPlantStore } = await import('./lab/index.ts');
  const create = ({ url, token }, id, name) =>
    fetch(url + '/plants', {
      method: 'POST',
      headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ id, name }),
    }).then(({ status }) => status, ({ cause }) => cause.code);`;

const run = (program: string) => spawnSync(process.execPath, ['--eval', OTHER_REALM + program], { encoding: 'utf8' });

test('a service and its sandboxes work beside other services', () => {
  const { status, stdout, stderr } = run(`
    const options = { sandboxes: true, plants: [{ id: 1, name: 'Aloe' }] };
    const stores = await Promise.all([startPlantStore(options), startPlantStore(options)]);
    const [store] = stores;
    const sandbox = await store.sandbox({ plants: 'garden' });
    const statuses = [await create(store, 1, 'Agave'), await create(store, 2, 'Agave')];
    await sandbox.fail({ fault: { kind: 'reset' }, when: 'afterCommit', times: 1 });
    for (let count = 0; count < 2; count++) statuses.push(await create(sandbox, 99, 'Agave'));
    await sandbox.reset();
    await sandbox.fail({ fault: { kind: 'delay', ms: 1 }, times: 1 });
    statuses.push(await create(sandbox, 99, 'Agave'));
    for (const { fault } of await sandbox.requests()) statuses.push(fault ?? 'none');
    for (const { close } of stores) await close();
    process.stdout.write(JSON.stringify(statuses));`);
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  assert.deepEqual(JSON.parse(stdout), [400, 200, 'ECONNRESET', 200, 200, 'delay']);
});

test('errors of the system and of SQLite are explained', () => {
  const { status, stdout, stderr } = run(`
    import { writeFileSync } from 'node:fs';
    import { mkdtempDisposableSync } from 'node:fs';
    using folder = mkdtempDisposableSync('/tmp/plantstore-test-');
    writeFileSync(folder.path + '/other.db', 'no database, but a long text'.repeat(100));
    const { url, close } = await startPlantStore();
    for (const args of [
      ['--port', new URL(url).port],
      ['--database', 'sqlite:' + folder.path + '/other.db'],
      ['--tls-cert', folder.path + '/no.pem', '--tls-key', folder.path + '/no.pem'],
    ]) await startPlantStore({ args }).catch(({ message }) => console.log(message));
    await close();`);
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  const [listen, database, certificate] = stdout.split('\n');
  assert.match(listen ?? '', /^cannot listen on .*: the port is taken; /);
  assert.match(database ?? '', /^cannot use the database file .*\/other\.db: /);
  assert.doesNotMatch(database ?? '', /file is not a database/);
  assert.match(certificate ?? '', /no such file or directory/);
});
