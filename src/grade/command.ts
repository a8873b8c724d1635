/** Runs the tester: a command in a process group of its own, so that all of it ends when it has to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A tester that is told to end may still write its report. */
const GRACE_MS = 2_000;

/** What is filled in for `{url}` and the like, and stands in the environment as PLANTSTORE_URL. */
export type Values = Readonly<Record<string, string>>;

export interface Ended {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
}

/** The command cannot be started. */
export class CannotStart extends Error {}

/** Its output goes to a file. `aborted` ends it as the time-out does. Rejects with CannotStart. */
export async function runCommand(
  command: readonly string[],
  values: Values,
  options: { readonly output: string; readonly timeout: number; readonly aborted: AbortSignal },
): Promise<Ended> {
  const [program = '', ...args] = command.map((word) => filledIn(word, values));
  const variables = Object.entries(values).map(([name, value]) => [variableOf(name), value]);
  const file = openSync(options.output, 'w');
  const env = { ...process.env, ...Object.fromEntries(variables) };
  const child = spawn(program, args, { detached: true, env, stdio: ['ignore', file, file] });
  const exited = once(child, 'exit').catch((error) => {
    throw new CannotStart(error.code ?? error.message);
  });
  closeSync(file);
  let timedOut = false;
  const end = () => {
    endGroup(child, 'SIGTERM');
    void Promise.race([exited, sleep(GRACE_MS, undefined, { ref: false })]).then(
      () => endGroup(child, 'SIGKILL'),
      () => undefined,
    );
  };
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, options.timeout);
  options.aborted.addEventListener('abort', end);
  try {
    const [exitCode, signal] = await exited;
    // Whatever it has left behind would disturb the next run.
    endGroup(child, 'SIGKILL');
    return { exitCode, signal, timedOut };
  } finally {
    clearTimeout(timer);
    options.aborted.removeEventListener('abort', end);
  }
}

/** `{url}` and the like within a word; other braces are the tester's own. */
function filledIn(word: string, values: Values): string {
  return word.replaceAll(/\{(\w+)\}/g, (all, name) => (Object.hasOwn(values, name) ? (values[name] ?? all) : all));
}

/** That of `readToken` is PLANTSTORE_READ_TOKEN. */
function variableOf(name: string): string {
  return `PLANTSTORE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}
