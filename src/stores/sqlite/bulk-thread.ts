/** The bulk writer's thread: large transactions in key order, small ones as soon as others write to the same file. */
import { parentPort, workerData } from 'node:worker_threads';
import { firstVersion } from '../../plants/plant.ts';
import { type PlantColumns, plantAt } from '../../plants/plant-columns.ts';
import { type BulkOutcome, type Mark, markKey } from '../data.ts';
import { openConnection } from './database.ts';
import { resultCode } from './failures.ts';
import { keyOrder } from './key-order.ts';
import { createTransaction } from './transaction.ts';
import { prepareCreate, prepareStoreNumber } from './writes.ts';

export type BulkRequest =
  | { readonly kind: 'mark' | 'forget'; readonly key: string }
  | { readonly kind: 'write'; readonly plants: PlantColumns; readonly mark: Mark | undefined }
  | { readonly kind: 'close' };

export type BulkResponse =
  | BulkOutcome
  | { readonly state: string | undefined }
  | { readonly error: unknown; readonly code: number | undefined };

/** Plants in a transaction while another process writes too: some 25 ms for which its writes have to wait. */
const SHARED_BATCH = 5_000;
/** How long the file is left to other processes between two transactions: longer than their own pause between tries. */
const PAUSE_MS = 4;
/** For how long the batches stay small after another process has written. */
const SHARED_FOR_MS = 1_000;
/** Random ids fall into nearly every page of the file: the pages that a chunk touches should stay in memory. */
const CACHE_KIB = 12_288;

const { path, store } = workerData as { path: string; store: string };
const database = openConnection(path);
database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
const storeNumber = prepareStoreNumber(database);
const create = prepareCreate(database);
const selectMark = database.prepare('SELECT value FROM meta WHERE key = ?');
const upsertMark = database.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
const removeMark = database.prepare('DELETE FROM meta WHERE key = ?');
const selectDataVersion = database.prepare('PRAGMA data_version');
const transact = createTransaction(database);
const cell = new Int32Array(new SharedArrayBuffer(4));

let dataVersion = selectDataVersion.get()?.['data_version'];
let sharedUntil = 0;

parentPort?.on('message', (request: BulkRequest) => {
  if (request.kind === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(answer(request));
});

function answer(request: Exclude<BulkRequest, { kind: 'close' }>): BulkResponse {
  try {
    if (request.kind === 'write') return write(request.plants, request.mark);
    if (request.kind === 'forget') {
      transaction(() => removeMark.run(markKey(request.key)));
      return { state: undefined };
    }
    const state = selectMark.get(markKey(request.key))?.['value'];
    return { state: state instanceof Uint8Array ? Buffer.from(state).toString() : undefined };
  } catch (error) {
    return { error, code: resultCode(error) };
  }
}

function write(plants: PlantColumns, mark: Mark | undefined): BulkOutcome {
  const order = keyOrder(plants.ids.subarray(0, plants.length));
  const taken: number[] = [];
  let stored = 0;
  let done = 0;
  do {
    const from = done;
    const to = Math.min(order.length, from + (isShared() ? SHARED_BATCH : order.length));
    // One for all of a transaction, within which no plant can be deleted and created again: a version tells the contents
    // of one plant apart, not one plant from another.
    const version = firstVersion(Math.random);
    transaction(() => {
      const number = storeNumber(store);
      for (let i = from; i < to; i++) {
        const at = order[i] as number;
        const { id, name, tag = null } = plantAt(plants, at);
        const outcome = create(number, id, name, tag, version);
        if (outcome === 'created') stored++;
        else if (outcome === 'taken') taken.push(at);
      }
      if (to === order.length && mark !== undefined) upsertMark.run(markKey(mark.key), Buffer.from(mark.state));
    });
    done = to;
  } while (done < order.length);
  return { stored, taken: taken.sort((a, b) => a - b) };
}

/** Whether another connection has committed lately (https://sqlite.org/pragma.html#pragma_data_version). */
function isShared(): boolean {
  const current = selectDataVersion.get()?.['data_version'];
  if (current !== dataVersion) sharedUntil = performance.now() + SHARED_FOR_MS;
  dataVersion = current;
  return performance.now() < sharedUntil;
}

function transaction(work: () => void): void {
  Atomics.wait(cell, 0, 0, PAUSE_MS);
  transact(work);
}
