import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { createTransaction } from '../../../src/stores/sqlite/transaction.ts';
import { createDirectory } from '../../harness/directory.ts';

/** SQLite, whose pauses grow to 100 ms, would look again before and after the first gaps, but not within them. */
const HELD_MS = 140;
const GAP_MS = 10;

/** Writes without end; its transactions leave the file free for a moment only. */
const NEIGHBOUR = `
  const { DatabaseSync } = require('node:sqlite');
  const { workerData: { path, begun, never } } = require('node:worker_threads');
  const database = new DatabaseSync(path, { timeout: 5_000 });
  for (;;) {
    database.exec('BEGIN IMMEDIATE');
    Atomics.store(begun, 0, 1);
    Atomics.notify(begun, 0);
    Atomics.wait(never, 0, 0, ${HELD_MS});
    database.exec('COMMIT');
    Atomics.wait(never, 0, 0, ${GAP_MS});
  }`;

test('the first transaction of a connection, too, gets in between two long ones of another', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const database = openConnection(path);
  const transaction = createTransaction(database);
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const never = new Int32Array(new SharedArrayBuffer(4));
  const neighbour = new Worker(NEIGHBOUR, { eval: true, workerData: { path, begun, never } });
  Atomics.wait(begun, 0, 0);
  const write = () => database.exec("INSERT INTO meta VALUES ('mine', x'00')");
  assert.doesNotThrow(() => transaction(write), 'locked for as long as a write is patient');
  await neighbour.terminate();
  database.close();
});
