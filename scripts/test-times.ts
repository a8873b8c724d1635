/**
 * The CPU of test files, for `npm test -- --times`. This module is loaded into the process of each test file: when the
 * process ends, it appends the seconds that it and its ended children used. Only Linux counts the children.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** The variable with the path of the file to append to. */
export const TIMES_VARIABLE = 'TEST_TIMES';

const STAT = '/proc/self/stat';
/** Linux counts CPU in hundredths of a second. */
const TICKS = 100;

function seconds(): number {
  if (!existsSync(STAT)) return process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  // After the name of the program, which may contain spaces: utime, stime, cutime and cstime are fields 14 to 17.
  const fields = readFileSync(STAT, 'utf8').split(') ').at(-1)?.split(' ').slice(11, 15) ?? [];
  return fields.reduce((sum, field) => sum + Number(field), 0) / TICKS;
}

/** Appends the CPU of this process at its end, if the variable names a file. Threads are part of their process. */
function keepTime(): void {
  const path = process.env[TIMES_VARIABLE];
  if (path === undefined || !isMainThread) return;
  const file = relative('.', process.argv[1] ?? '');
  process.on('exit', () => appendFileSync(path, `${seconds().toFixed(2)} ${process.env['TEST_ENGINE']} ${file}\n`));
}

/** Returns a table of the files, the slowest first, and their sum. */
export function tableOf(kept: string): string {
  const rows = kept
    .trim()
    .split('\n')
    .sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a));
  const sum = rows.reduce((all, row) => all + Number.parseFloat(row), 0);
  return `Seconds of CPU of each test file:\n${rows.join('\n')}\n${sum.toFixed(2)} in all\n`;
}

keepTime();
