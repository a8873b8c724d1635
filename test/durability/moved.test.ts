/** Tests a database that is moved while it is served: every confirmed plant is found by the next start. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { generateToken } from '../../src/auth/token.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';

const token = generateToken();
/**
 * https://sqlite.org/fileformat.html, section 4: a page in the log is a page of the file after a header of 24 bytes.
 */
const LOG_PAGE_BYTES = 4_096 + 24;
const LOG_HEADER_BYTES = 32;
/** SQLite's default (https://sqlite.org/c3ref/wal_autocheckpoint.html). */
const CHECKPOINT_PAGES = 1_000;

/** Starts a service whose database the test moves. */
async function serveAt(path: string) {
  const service = await serveProcess(['--database', `sqlite:${path}`], { PLANTSTORE_TOKEN: token });
  const ended = new Promise((resolve) => service.child.once('close', resolve));
  const client = createClient(service.url, token);
  return {
    /** Resolves to the status. */
    async create(id: number): Promise<number> {
      return (await client.send('POST', '/plants', { body: { id, name: 'Aloe' } })).status;
    },
    /** Waits until the service has ended by itself. Resolves to its exit code and its standard error. */
    async end() {
      client.close();
      return { code: await ended, stderr: service.stderr() };
    },
  };
}

const SLIPS: Readonly<Record<string, (path: string) => void>> = {
  'is deleted': (path) => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix);
  },
  'is deleted without its log': (path) => rmSync(path),
  'loses its log': (path) => rmSync(`${path}-wal`),
  "loses its log's index": (path) => rmSync(`${path}-shm`),
  'is moved': (path) => renameSync(path, `${path}.old`),
  'is replaced': (path) => {
    copyFileSync(path, `${path}.new`);
    renameSync(`${path}.new`, path);
  },
};

for (const [what, slip] of Object.entries(SLIPS)) {
  test(`a service whose database ${what} stores no more plants and ends with 1`, {
    skip: process.platform === 'win32',
  }, async () => {
    using directory = createDirectory();
    const path = directory.at('plants.db');
    const service = await serveAt(path);
    assert.equal(await service.create(1), 200);
    slip(path);
    assert.equal(await service.create(2), 503);
    const { code, stderr } = await service.end();
    assert.equal(code, 1);
    assert.match(stderr, /its -wal or its -shm was moved, replaced or deleted while in use/);
  });
}

test('a file that replaces the served one is not changed, even if the log is long enough for a checkpoint', {
  skip: process.platform === 'win32',
}, async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const service = await serveAt(path);
  const log = () => statSync(`${path}-wal`).size;
  copyFileSync(path, `${path}.new`);
  const bytes = readFileSync(path);
  let id = 0;
  // The next write would be the first to make a checkpoint.
  while (log() < (CHECKPOINT_PAGES - 4) * LOG_PAGE_BYTES + LOG_HEADER_BYTES)
    assert.equal(await service.create(++id), 200);
  const length = log();
  renameSync(`${path}.new`, path);
  assert.equal(await service.create(++id), 503);
  assert.equal((await service.end()).code, 1);
  assert.ok(readFileSync(path).equals(bytes), 'nothing of the log is merged into it');
  assert.ok(log() >= length, 'the log is there');
});
