/** Owns what a server costs the machine, as Linux tells it: CPU and memory of a process, its threads and its children. */
import { readdirSync, readFileSync } from 'node:fs';

/** Time on a CPU, in microseconds. */
export interface Cpu {
  readonly user: number;
  readonly system: number;
}

export function total({ user, system }: Cpu): number {
  return user + system;
}

/** Linux tells process times in ticks (USER_HZ), 100 a second on every platform that Node runs on. */
const TICK_US = 10_000;

/**
 * All that a process and its descendants have used so far. A process's own times hold those of all its threads, also of
 * threads that have ended; children that have ended are in the times that their parent waited for.
 */
export function cpuOf(root: number): Cpu {
  let user = 0;
  let system = 0;
  for (const pid of treeOf(root)) {
    const [own = 0, ownSystem = 0, ended = 0, endedSystem = 0] = timesOf(pid);
    user += own + ended;
    system += ownSystem + endedSystem;
  }
  return { user, system };
}

/** What the children of this very process have used that have ended, in microseconds. */
export function endedChildrenTime(): number {
  const [, , user = 0, system = 0] = timesOf(process.pid);
  return user + system;
}

/**
 * What all processes of the machine, and the hypervisor instead of it, have used so far, in microseconds. proc_stat(5):
 * the times since the start in ticks, of which the fourth and fifth are idle.
 */
export function machineTime(): number {
  const [line = ''] = (read('/proc/stat') ?? '').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/ +/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_US;
}

/** The most memory (resident) that each process of the tree ever held, summed, in MB. */
export function peakMemoryOf(root: number): number {
  return memoryOf(root, 'VmHWM');
}

/** The memory (resident) that the processes of the tree hold now, in MB. */
export function residentMemoryOf(root: number): number {
  return memoryOf(root, 'VmRSS');
}

function memoryOf(root: number, field: 'VmHWM' | 'VmRSS'): number {
  const kibibytes = treeOf(root).map((pid) => {
    const status = read(`/proc/${pid}/status`) ?? '';
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0);
  });
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

/** proc_pid_stat(5): utime, stime, cutime and cstime, the fields 14 to 17, in microseconds; none of one that has ended. */
function timesOf(pid: number): readonly number[] {
  return (statOf(pid) ?? []).slice(11, 15).map((ticks) => Number(ticks) * TICK_US);
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
