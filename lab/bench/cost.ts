/**
 * Reads the CPU time and memory of a process, its threads and its children from Linux's /proc, and the size of a
 * database.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from '../../test/harness/postgres.ts';

/** Linux counts process times in ticks (USER_HZ): 100 per second on every platform that Node supports. */
const TICK_US = 10_000;

/**
 * Returns the CPU time that a process and its descendants have used so far, in microseconds. The times of a process
 * include all its threads. Children that have ended are included in their parent's cutime and cstime.
 */
export function cpuOf(root: number): number {
  // proc_pid_stat(5): utime, stime, cutime and cstime are fields 14 to 17.
  const ticks = treeOf(root).flatMap((pid) => statOf(pid)?.slice(11, 15).map(Number) ?? []);
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_US;
}

/** Returns the CPU time of all processes of a PostgreSQL server so far, in microseconds. `directory`: of its data. */
export function cpuOfPostgres(directory: string): number {
  return cpuOf(Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]));
}

/** Returns the bytes of a SQLite file and its write-ahead log, or of all tables and indexes of a PostgreSQL schema. */
export async function sizeOf(database: string): Promise<number> {
  if (database.startsWith('sqlite:')) {
    const file = database.slice('sqlite:'.length);
    return [file, `${file}-wal`].filter(existsSync).reduce((sum, path) => sum + statSync(path).size, 0);
  }
  const sizes = `SELECT sum(pg_total_relation_size(oid)) AS size FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`;
  const [row] = await execute(database, sizes);
  return Number(row?.['size']);
}

/** Returns the sum of the peak resident memory of each process of the tree, in MB. */
export const peakMemoryOf = (root: number) => memoryOf(root, /VmHWM:\s+(\d+) kB/);

/** Returns the sum of the resident memory of each process of the tree, in MB. */
export function memoryOf(root: number, line = /VmRSS:\s+(\d+) kB/): number {
  const kibibytes = treeOf(root).map((pid) => Number(line.exec(read(`/proc/${pid}/status`) ?? '')?.[1] ?? 0));
  return (kibibytes.reduce((sum, one) => sum + one, 0) * 1_024) / 1e6;
}

function treeOf(root: number): readonly number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statOf(Number(name))?.[1]) }));
  const below = (pid: number): number[] => [
    pid,
    ...parents.filter(({ parent }) => parent === pid).flatMap((child) => below(child.pid)),
  ];
  return below(root);
}

/** Returns the fields of /proc/PID/stat after the second, the command, which may contain blanks and brackets. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Undefined if the process has ended in the meantime. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
