/** What a server costs the machine, as Linux tells it: CPU and memory of a process, its threads and its children. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux tells process times in ticks (USER_HZ), 100 a second on every platform that Node runs on. */
const TICK_US = 10_000;

/**
 * The CPU time that a process and its descendants have used so far, in microseconds. A process's own times hold those of
 * all its threads; children that have ended are in the times that their parent waited for.
 */
export function cpuOf(root: number): number {
  // proc_pid_stat(5): utime, stime, cutime and cstime are the fields 14 to 17.
  const ticks = treeOf(root).flatMap((pid) => statOf(pid)?.slice(11, 15).map(Number) ?? []);
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_US;
}

/** The most memory (resident) that each process of the tree ever held, summed, in MB. */
export function peakMemoryOf(root: number): number {
  const kibibytes = treeOf(root).map((pid) =>
    Number(/VmHWM:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`) ?? '')?.[1] ?? 0),
  );
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

/** The fields of /proc/PID/stat from the third on: the second is the command, which may hold blanks and brackets. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Undefined for a process that has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
