/** A child process that carries out tasks for its parent, so that its CPU time does not count as the parent's. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { killAtExit } from '../kill-at-exit.ts';

/** The work of a process by name. Arguments and results are values that JSON can hold. */
export type Tasks = Readonly<Record<string, (argument: never) => Promise<unknown>>>;

export interface Part<Of extends Tasks> {
  ask<Name extends keyof Of & string>(
    name: Name,
    ...argument: Parameters<Of[Name]>
  ): Promise<Awaited<ReturnType<Of[Name]>>>;
  end(): void;
}

/** Offers tasks to the parent process, which asks for one at a time. */
export function offer(tasks: Tasks): void {
  process.on('message', async ({ name, argument }: { name: string; argument: never }) => {
    process.send?.({ result: await tasks[name]?.(argument) });
  });
  process.once('disconnect', () => process.exit());
}

/** Starts a module that offers tasks. `nice`: its priority, from -20 to 19; only root can choose one below 0. */
export function startPart<Of extends Tasks>(module: string, nice: number): Part<Of> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)));
  // With little of the processor it notices late that this process has ended.
  killAtExit(child);
  setNice(child, nice);
  return {
    async ask(name, ...[argument]) {
      child.send({ name, argument });
      const [{ result }] = await once(child, 'message');
      return result;
    },
    end: () => child.disconnect(),
  };
}

function setNice({ pid = 0 }: ChildProcess, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {
    // Only root may raise a priority. The measurement is a little less exact.
  }
  // An attacker uses only the second core, so that the service always has the first.
  if (nice > 0) execFile('taskset', ['-acp', '1', String(pid)], () => {});
}
