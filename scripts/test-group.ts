/**
 * Runs test files in this process, one after another. Starting a process and loading the service costs more than most
 * files, so scripts/test.ts starts only a few of these processes with the same list. Each takes the next file that no
 * other has taken.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TIMES_VARIABLE } from './test-times.ts';

const [taken = '', ...tasks] = process.argv.slice(2);

/** Only the first process that takes a task can make its directory. Any other failure must not skip a test. */
function take(place: number): boolean {
  try {
    mkdirSync(join(taken, String(place)));
    return true;
  } catch (error) {
    if (Error.isError(error) && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Seconds of CPU of this process, its threads and its ended children. Only Linux counts the children. */
function cpu(): number {
  const stat = '/proc/self/stat';
  if (!existsSync(stat)) return (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  // After the name of the program, which may contain spaces: utime, stime, cutime and cstime are fields 14 to 17.
  const fields = readFileSync(stat, 'utf8').split(') ').at(-1)?.split(' ').slice(11, 15) ?? [];
  return fields.reduce((sum, field) => sum + Number(field), 0) / 100;
}

/** Resolves when all tests of the file have ended. */
function runFile(file: string, engine: string): Promise<void> {
  return new Promise((ended) => {
    suite(`${file}, on ${engine}`, async () => {
      after(() => ended());
      try {
        // The address differs for each engine, so that the file runs again.
        await import(`${pathToFileURL(resolve(file))}?${engine}`);
      } catch (error) {
        ended();
        throw error;
      }
    });
  });
}

const times = process.env[TIMES_VARIABLE];
for (const [place, task] of tasks.entries()) {
  if (!take(place)) continue;
  const [engine = '', file = ''] = task.split(' ');
  process.env['TEST_ENGINE'] = engine;
  const [started, used] = [performance.now(), cpu()];
  await runFile(file, engine);
  if (times === undefined) continue;
  const [own, took] = [cpu() - used, (performance.now() - started) / 1_000];
  appendFileSync(times, `${own.toFixed(2)} ${took.toFixed(1)} ${engine} ${file}\n`);
}
