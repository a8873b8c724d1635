/** Finds and ends processes that a command has left behind outside of its process group. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ends each process whose environment contains the variable. Only Linux shows the environment of a process. A process
 * that has removed the variable is not found.
 */
export function endLeftProcesses(name: string, value: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${name}=${value}`))
        process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or it belongs to another user.
    }
  }
}
