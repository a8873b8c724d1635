/** A start of the library that fails: the program can go on, and ends by itself. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startPlantStore } from '../../lab/index.ts';
import { createDirectory } from '../harness/directory.ts';

/** Statements of a program that leave `options`, with which the service cannot start. */
const FAILING = {
  'a port that is taken': `
    const { createServer } = await import('node:net');
    const server = createServer().listen(0, '127.0.0.1').unref();
    await new Promise((resolve) => server.once('listening', resolve));
    const options = { sandboxes: true, args: ['--events', '--port', String(server.address().port)] };`,
  'a port for the operator that is taken': `
    const { createServer } = await import('node:net');
    const server = createServer().listen(0, '127.0.0.1').unref();
    await new Promise((resolve) => server.once('listening', resolve));
    const options = { sandboxes: true, args: ['--events', '--admin', '127.0.0.1:' + server.address().port] };`,
  'an id that two plants have': `
    const options = { sandboxes: true, plants: [{ id: 1, name: 'Aloe' }, { id: 1, name: 'Agave' }] };`,
  'a key of cursors that is missing': `
    const { DatabaseSync } = await import('node:sqlite');
    const { prepare } = DatabaseSync.prototype;
    DatabaseSync.prototype.prepare = function (sql) {
      const statement = prepare.call(this, sql);
      if (sql.includes('FROM meta')) statement.get = () => undefined;
      return statement;
    };
    const options = { sandboxes: true };`,
  'a key of cursors that is missing in a file': `
    const { startPlantStore: start } = await import('./lab/index.ts');
    const args = ['--events', '--database', 'sqlite:' + process.env.TMPDIR + '/plants.db'];
    await (await start({ args })).close();
    const { DatabaseSync } = await import('node:sqlite');
    using database = new DatabaseSync(process.env.TMPDIR + '/plants.db');
    database.exec('DELETE FROM meta');
    const options = { args };`,
  'a table that is missing': `
    const { startPlantStore: start } = await import('./lab/index.ts');
    const args = ['--database', 'sqlite:' + process.env.TMPDIR + '/plants.db'];
    await (await start({ args })).close();
    const { DatabaseSync } = await import('node:sqlite');
    using database = new DatabaseSync(process.env.TMPDIR + '/plants.db');
    database.exec('DROP TABLE event_counts');
    const options = { args };`,
  'an issuer that does not answer': `
    const jwt = ['--jwt-issuer', 'http://127.0.0.1:9', '--jwt-audience', 'plants'];
    const options = { sandboxes: true, args: [...jwt, '--host', '203.0.113.1'] };`,
};

test('a start with plants names the database that another process has locked', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const args = ['--database', `sqlite:${path}`];
  await (await startPlantStore({ args })).close();
  using other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const expected = { name: 'StartupError', message: new RegExp(`^cannot use ${path}: the store is locked`) };
  await assert.rejects(startPlantStore({ args, plants: 'garden' }), expected);
});

for (const [what, program] of Object.entries(FAILING)) {
  test(`after ${what}, nothing of the service is left`, () => {
    using directory = createDirectory();
    const TMPDIR = directory.at('tmp');
    mkdirSync(TMPDIR);
    const start = `${program}
      const { startPlantStore } = await import('./lab/index.ts');
      const { message } = await startPlantStore(options).catch((error) => error);
      const { readdirSync } = await import('node:fs');
      const left = readdirSync(process.env.TMPDIR).filter((name) => name.startsWith('plantstore'));
      console.log(JSON.stringify({ message, left }));`;
    const ended = spawnSync(process.execPath, ['--eval', start], {
      env: { ...process.env, TMPDIR },
      encoding: 'utf8',
      timeout: 30_000,
    });
    assert.deepEqual([ended.status, ended.signal, ended.stderr], [0, null, ''], ended.stdout);
    const { message, left } = JSON.parse(ended.stdout);
    assert.equal(typeof message, 'string');
    assert.deepEqual(left, []);
    assert.deepEqual(
      readdirSync(TMPDIR).filter((name) => name.startsWith('plantstore')),
      [],
    );
  });
}
