/** Files and folders that cannot hold the data: one line, exit code 1, and no change. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createDirectory, digestsIn } from '../harness/directory.ts';
import { NAMESPACE, NO_MOUNT } from '../harness/mount.ts';
import { PLANTSTORE, refusedWith, runCommand, runHere } from '../harness/process.ts';

const isWindows = process.platform === 'win32';
const serve = (path: string) => runHere(['serve', '--port', '0', '--database', `sqlite:${path}`]);

/** Creates a database file with SQL. */
const sql = (statements: string) => (path: string) => {
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
};
/** Creates a database with 400 plants and changes it. */
const ours = (change: (path: string) => void) => async (path: string) => {
  const plants = Array.from({ length: 400 }, (_, id) => JSON.stringify({ id, name: 'a'.repeat(500) }));
  using directory = createDirectory();
  fs.writeFileSync(directory.at('plants.ndjson'), plants.join('\n'));
  const { code } = await runHere(['import', directory.at('plants.ndjson'), '--database', `sqlite:${path}`]);
  assert.equal(code, 0);
  change(path);
};
const written = (bytes: string | Buffer) => (path: string) => fs.writeFileSync(path, bytes);
const header = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_080, 0xff)]);
const overwrite = (path: string) => fs.writeFileSync(path, fs.readFileSync(path).fill(0xa5, 20_480, 28_672));
const foreign = sql('CREATE TABLE plants (mine TEXT); PRAGMA user_version = 1');
// A database of another program. Opening it the usual way would turn on its log and so change the file.
const newer = sql('PRAGMA user_version = 999; PRAGMA journal_mode = DELETE');
/** As a commit before 1.0.0 marked its file. `mode`: of the journal. */
const development = (format: number, mode: string) =>
  sql(`PRAGMA application_id = 0x504c4e54; PRAGMA user_version = ${format}; PRAGMA journal_mode = ${mode}`);
const withoutKey = sql("DELETE FROM meta WHERE key = 'cursor-key'; PRAGMA journal_mode = DELETE");

for (const [what, make, line] of [
  ['a text file', written('These are my notes. '.repeat(100)), /is not a SQLite database/],
  ['a short file', written('x'), /is not a SQLite database/],
  ['random bytes', written(Buffer.alloc(8_192, 0xa5)), /is not a SQLite database/],
  ['a header of SQLite with nothing behind it', written(header), /another application|damaged/],
  ['a database of another application', foreign, /another application/],
  ['a database of ours cut short', ours((path) => fs.truncateSync(path, 40_960)), /is damaged/],
  ['a database of ours with a page overwritten', ours(overwrite), /is damaged/],
  ['a database of a newer version', ours(newer), /newer version/],
  ...[1, 2, 3, 4].flatMap((format) =>
    ['DELETE', 'WAL'].map(
      (mode) =>
        [
          `a database of development format ${format} with the journal mode ${mode}`,
          ours(development(format, mode)),
          new RegExp(
            `a development version of Plant Store \\(format ${format} before 1.0.0\\).*the commit that wrote it`,
          ),
        ] as const,
    ),
  ),
  ['a directory', (path: string) => fs.mkdirSync(path), /it is not a file$/m],
  ['a named pipe', (path: string) => execFileSync('mkfifo', [path]), /it is not a file$/m],
] as const) {
  test(`${what} fails with one line and exit code 1, and nothing is changed`, async () => {
    using directory = createDirectory();
    const path = directory.at('plants.db');
    await make(path);
    const look = fs.statSync(path).isFile() ? digestsIn : (folder: string) => fs.readdirSync(folder);
    const before = look(directory.path);
    refusedWith(await serve(path), 1, line);
    assert.deepEqual(look(directory.path), before);
  });
}

test('a database without its key, a path below a file or without a folder, and a read-only place fail', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  await ours(withoutKey)(path);
  refusedWith(await serve(path), 1, /cannot use the database file .*: its cursor key is missing$/m);
  const notes = directory.at('notes');
  fs.writeFileSync(notes, 'notes');
  // For root every directory is writable except /proc.
  for (const below of [`${notes}/plants.db`, '/proc/plantstore/plants.db']) {
    refusedWith(await serve(below), 1, /cannot use the database file/);
  }
  assert.equal(fs.readFileSync(notes, 'utf8'), 'notes');
  refusedWith(
    await serve(directory.at('above/data/plants.db')),
    1,
    /: there is no folder \S+above; create it first, or choose another path$/m,
  );
  assert.ok(!fs.existsSync(directory.at('above')));
});

test('a file that is mounted without its folder is refused for writing, but can be read', {
  skip: NO_MOUNT,
}, async () => {
  using directory = createDirectory();
  const { at } = directory;
  assert.equal((await runHere(['import', '--garden', '--database', `sqlite:${at('host.db')}`])).code, 0);
  fs.mkdirSync(at('a folder'));
  fs.writeFileSync(at('a folder/plants.db'), '');
  fs.symlinkSync(at('a folder/plants.db'), at('link.db'));
  const look = () => [fs.readFileSync(at('host.db')), fs.readdirSync(at('a folder'))];
  const before = look();
  const mount = `mount --bind '${at('host.db')}' '${at('a folder/plants.db')}' && exec "$0" "$@"`;
  const command = ['unshare', ...NAMESPACE, 'sh', '-c', mount, PLANTSTORE] as const;
  for (const path of [at('a folder/plants.db'), at('link.db')]) {
    const run = (...args: string[]) => runCommand([...args, '--database', `sqlite:${path}`], {}, { command });
    for (const args of [
      ['import', '--garden'],
      ['token', 'create'],
      ['serve', '--port', '0'],
    ]) {
      refusedWith(await run(...args), 1, /: it is mounted without its folder, .*: mount the folder instead$/m);
    }
    const { code, stdout } = await run('check');
    assert.deepEqual([code, /^No problems found: 52 plants/.test(stdout)], [0, true]);
  }
  assert.deepEqual(look(), before);
});

test('a path that is too long for SQLite is refused, and no file is made', { skip: isWindows }, async () => {
  using directory = createDirectory();
  const folder = `${directory.path}/${'l'.repeat(200)}/${'m'.repeat(200)}`;
  fs.mkdirSync(folder, { recursive: true });
  const name = (bytes: number) => 'n'.repeat(bytes - Buffer.byteLength(`${folder}/`));
  refusedWith(
    await serve(`${folder}/${name(505)}`),
    1,
    /: its path has 505 bytes, and SQLite opens no path of more than 504; choose a shorter path$/m,
  );
  assert.deepEqual(fs.readdirSync(folder), []);
  const { code, stderr } = await runHere(['import', '--garden', '--database', `sqlite:${folder}/${name(504)}`]);
  assert.equal(code, 0, stderr);
});

test('too few open files, and a removed working directory, fail with one line and the remedy', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  for (const command of [
    ['serve', '--port', '0'],
    ['import', '/dev/null'],
    ['token', 'create', '--create'],
  ]) {
    const run = (script: string) =>
      runCommand([...command, '--database', `sqlite:${path}`], {}, { command: ['sh', '-c', script, PLANTSTORE] });
    const few = await run('ulimit -n 32; exec "$0" "$@"');
    refusedWith(few, 1, /^plantstore: this process may open only 32 files; raise the limit to .* \(ulimit -n\)$/m);
    const gone = await run(`cd "$(mktemp -d ${directory.path}/gone-XXXX)" && rmdir "$PWD" && exec "$0" "$@"`);
    assert.equal(gone.code, 1);
    // Some shells warn first.
    assert.match(
      gone.stderr,
      /^(?!.* at )(.*\n)?plantstore: the current folder was deleted; change to another folder\n$/,
    );
  }
  assert.ok(!fs.existsSync(path));
});
