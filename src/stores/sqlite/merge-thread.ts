/** The merger's thread: copies the write-ahead log into the file and syncs it, while the writer goes on. */
import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './database.ts';
import { writeAheadLog } from './write-ahead-log.ts';

const database = openConnection(workerData);
const log = writeAheadLog(database);

parentPort?.on('message', (message: 'merge' | 'close') => {
  if (message === 'merge') {
    parentPort?.postMessage(log.merge());
    return;
  }
  database.close();
  parentPort?.close();
});
