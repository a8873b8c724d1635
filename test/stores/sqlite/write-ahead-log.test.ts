import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { logFiles, MOST_LEFT_BYTES, writeAheadLog } from '../../../src/stores/sqlite/write-ahead-log.ts';
import { createDirectory } from '../../harness/directory.ts';

const READING = 1;
/** Shorter than a restart waits, and much longer than the write behind one that did not wait. */
const HOLD_MS = 4;
const ATTEMPTS = 5;

/** Whenever it is asked, reads and holds on to what it saw for a little. */
const READER = `
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData: { path, cell } } = require('node:worker_threads');
  const database = new DatabaseSync(path);
  parentPort.on('message', () => {
    database.exec('BEGIN; SELECT count(*) FROM meta');
    Atomics.store(cell, 0, ${READING});
    Atomics.notify(cell, 0);
    Atomics.wait(cell, 0, ${READING}, ${HOLD_MS});
    database.exec('COMMIT');
  });`;

test('a restart waits for a reader who lets go soon, so that the next write begins the log anew', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const database = openConnection(path);
  const log = writeAheadLog(database);
  const write = () => database.exec("UPDATE revisions SET revision = revision + 1 WHERE of = 'tokens'");
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const reader = new Worker(READER, { eval: true, workerData: { path, cell } });
  let begunAnew = false;
  for (let attempt = 0; attempt < ATTEMPTS && !begunAnew; attempt++) {
    for (let i = 0; i < 10; i++) write();
    const before = log.state().pages;
    Atomics.store(cell, 0, 0);
    reader.postMessage('read');
    Atomics.wait(cell, 0, 0);
    log.restart();
    write();
    begunAnew = log.state().pages < before;
  }
  await reader.terminate();
  database.close();
  assert.ok(begunAnew);
});

test('a log that grew behind a long read gives its room back when it begins anew', () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const database = openConnection(path);
  const reader = openConnection(path);
  const size = () => statSync(logFiles(path).log).size;
  reader.exec('BEGIN; SELECT count(*) FROM meta');
  database.exec(`INSERT INTO meta VALUES ('large', zeroblob(${MOST_LEFT_BYTES}))`);
  const grown = size();
  reader.exec('COMMIT');
  writeAheadLog(database).restart();
  database.exec("UPDATE revisions SET revision = revision + 1 WHERE of = 'tokens'");
  const left = size();
  reader.close();
  database.close();
  assert.ok(grown > MOST_LEFT_BYTES, `${grown}`);
  assert.ok(left <= MOST_LEFT_BYTES, `${left}`);
});
