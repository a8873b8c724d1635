/** Values of --database that only another program would understand: none becomes the name of a new file. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { database } from '../../src/cli/values.ts';
import { checkPath } from '../../src/stores/sqlite/path.ts';
import { createDirectory } from '../harness/directory.ts';
import { refusedWith, runCommand, runHere, SOURCES } from '../harness/process.ts';

const FOREIGN = [
  ...['plants.db', './plants.db', '/data/plants.db', 'C:\\data\\plants.db', '\\\\server\\plants.db', 'temporary:'],
  ...[
    'sqlite',
    'sqlite:',
    'sqlite3:plants.db',
    'sqlite+aiosqlite:///plants.db',
    'SQLITE:plants.db',
    'sqlite plants.db',
  ],
  ...['file:plants.db', 'file:///data/plants.db', 'jdbc:sqlite:plants.db', 'libsql://h', 'Data Source=plants.db'],
  ...['postgres:', 'postgres:h/d', 'postgres:/h/d', 'postgres://', 'postgresql+asyncpg://h/d', 'jdbc:postgresql://h/d'],
  ...['prisma+postgres://h/?api_key=x', 'pgsql://h/d', 'postgis://h/d', 'host=h dbname=d', 'cockroachdb://h/d'],
  ...['mysql://h/d', 'mariadb://h/d', 'mongodb+srv://h/d', 'mssql://h/d', 'http://h/d', 'https://h/d', 'redis://h'],
  ...['"sqlite:plants.db"', "'sqlite:plants.db'", 'sqlite:"plants.db"', "sqlite:'plants.db'", 'sqlite:plants.db\r'],
  ...['sqlite://plants.db', 'sqlite:///plants.db', 'sqlite:////data/plants.db', 'sqlite://./plants.db'],
  ...['sqlite:file:plants.db', 'sqlite:file:plants.db?mode=ro', 'sqlite:plants.db?mode=rwc', 'sqlite:plants.db?'],
  ...[
    'sqlite::memory:',
    'sqlite::memory:?cache=shared',
    'sqlite://:memory:',
    'sqlite::MEMORY:',
    'sqlite:file::memory:',
  ],
  ...['sqlite:sqlite:plants.db', 'sqlite:jdbc:sqlite:plants.db', 'sqlite:postgres://h/d', 'sqlite:https://h/plants.db'],
  ...['sqlite:~/plants.db', 'sqlite:~ana/plants.db', 'sqlite:$HOME/plants.db', `sqlite:\${DATA}/plants.db`],
  ...[
    'sqlite:data/$NAME',
    'sqlite:$(pwd)/plants.db',
    'sqlite:%APPDATA%/plants.db',
    'sqlite:{{ path }}/plants.db',
    'sqlite:Data Source=plants.db',
    'sqlite:plants.db;Mode=Memory',
    'sqlite:s3://b/plants.db',
  ],
  ...['sqlite:plants/', 'sqlite:plants/.', 'sqlite:.', 'sqlite:..', 'sqlite:/', 'sqlite:plants/..'],
];

test("another program's spelling of a database is refused in one line, and no file is made", async () => {
  using directory = createDirectory();
  for (const value of FOREIGN) {
    refusedWith(await runHere(['token', 'create', '--create', '--database', value]), 2, /: --database: it/);
    refusedWith(await runHere(['serve'], { DATABASE_URL: value }), 2, /: DATABASE_URL: it/);
  }
  for (const value of [
    'sqlite:///plants.db',
    'sqlite:~/plants.db',
    'sqlite:file:plants.db',
    'sqlite:plants.db?mode=rwc',
  ]) {
    const program = { ...SOURCES, cwd: directory.at('.') };
    refusedWith(await runCommand(['token', 'create', '--create', '--database', value], {}, program), 2, /--database/);
  }
  assert.deepEqual(readdirSync(directory.at('.')), []);
});

test('on a system without drives, a path of Windows is refused', () => {
  for (const path of ['C:\\data\\plants.db', 'c:/data/plants.db', 'data\\plants.db', '\\\\server\\plants.db']) {
    assert.throws(() => checkPath(path, 'linux'), /its path is a path of Windows; separate folders with \//);
    assert.doesNotThrow(() => checkPath(path, 'win32'));
  }
});

test('the reason names what is wrong, and what to write instead', () => {
  for (const [value, reason] of [
    ['sqlite:///plants.db', /must not begin with \/\/; write sqlite:\/data\/plants\.db or sqlite:plants\.db/],
    ['sqlite:file:plants.db', /is the address of another program; write only the path/],
    ['sqlite:plants.db?mode=ro', /must not have parameters; write only/],
    ['sqlite:~/plants.db', /has a ~ or a variable, which no shell replaces/],
    ['sqlite:plants/', /is a folder; add the name of the file/],
    ['sqlite::memory:', /use --database temporary/],
    ['data/plants.db', /^Error: it must be sqlite:PATH or postgres:\/\/… \(did you mean sqlite:data\/plants\.db\?\)$/],
    ['./plants.sqlite', /did you mean sqlite:\.\/plants\.sqlite\?/],
    ['/data/plants.db', /did you mean sqlite:\/data\/plants\.db\?/],
    ['sqlite3:plants.db', /did you mean sqlite:plants\.db\?/],
    ['SQLITE:plants.db', /did you mean sqlite:plants\.db\?/],
    // Whatever may be a password is not repeated.
    ['postgre://u:hunter2@h/plants.db', /^Error: it must be sqlite:PATH or postgres:\/\/…$/],
    ['hunter2', /^Error: it must be sqlite:PATH or postgres:\/\/…$/],
  ] as const) {
    assert.throws(() => database(value), reason);
  }
});

test('a path with unusual characters that mean themselves is accepted unchanged', () => {
  for (const path of [
    ...['plants.db', './~plants.db', '/data/a b.db', 'backup-2026-11-26T10:00:00.db', 'feature%2Fx/plants.db', '..db'],
    ...['x?.db', '#1.db', 'cost$.db', '.plants', '../plants.db', '植物.db', 'mysql', 'temporary', 'a:b'],
  ]) {
    assert.equal(database(`sqlite:${path}`), `sqlite:${path}`);
  }
});

test('backup refuses an address as the name of its copy', async () => {
  using directory = createDirectory();
  const program = { ...SOURCES, cwd: join(directory.at('.'), 'work') };
  mkdirSync(program.cwd);
  const source = `sqlite:${directory.at('plants.db')}`;
  assert.equal((await runHere(['token', 'create', '--create', '--database', source])).code, 0);
  for (const copy of ['sqlite:copy.db', 'file:copy.db', '~/copy.db', 's3://bucket/copy.db', 'C:\\copy.db', 'copies/']) {
    refusedWith(
      await runCommand(['backup', copy, '--database', source], {}, program),
      2,
      /^plantstore: DEST: its path/,
    );
  }
  assert.deepEqual(readdirSync(program.cwd), []);
});
