/** The merger's thread: copies the write-ahead log into the file and syncs it, while the writer goes on. */
import { fdatasyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type DatabaseFile, openConnection } from './database.ts';
import { type MergeResult, writeAheadLog } from './write-ahead-log.ts';

const { path, descriptor } = workerData as DatabaseFile;
const database = openConnection(path);
const log = writeAheadLog(database);

parentPort?.on('message', (message: 'merge' | 'close') => {
  if (message === 'merge') {
    parentPort?.postMessage(merge());
    return;
  }
  database.close();
  parentPort?.close();
});

/**
 * SQLite syncs the file with the last page of the log only, and that is the writer's: what the writer would wait for is
 * synced here. Under Node's permission model no descriptor may be synced, and it is left to SQLite.
 */
function merge(): MergeResult {
  const result = log.merge();
  if ('error' in result || process.permission !== undefined) return result;
  try {
    fdatasyncSync(descriptor);
    return result;
  } catch (error) {
    return { error, code: undefined };
  }
}
