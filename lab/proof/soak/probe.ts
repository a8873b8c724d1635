/** On SIGUSR2, collects garbage and writes the size of the heap to standard error. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`);
});
