/** Runs the tester in its own process group, so that all its processes can be ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a tester may take to write its report after SIGTERM. */
const GRACE_MS = 2_000;

/** The values of placeholders such as `{url}`. The environment has the same value as PLANTSTORE_URL. */
export type Values = Readonly<Record<string, string>>;

export interface Ended {
  /** Null if a signal ended the command. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
}

/** The command cannot be started. */
export class CannotStart extends Error {}

/** Runs the command until its end, the time-out or `aborted`. Writes its output to a file. Rejects with CannotStart. */
export async function runCommand(
  command: readonly string[],
  values: Values,
  options: { readonly output: string; readonly timeout: number; readonly aborted: AbortSignal },
): Promise<Ended> {
  const [program = '', ...args] = command.map((word) => fillIn(word, values));
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
    // Processes that the command left behind would disturb the next run.
    endGroup(child, 'SIGKILL');
    return { exitCode, signal, timedOut };
  } finally {
    clearTimeout(timer);
    options.aborted.removeEventListener('abort', end);
  }
}

/** Replaces placeholders such as `{url}` in a word. Other braces belong to the tester. */
function fillIn(word: string, values: Values): string {
  return word.replaceAll(/\{(\w+)\}/g, (all, name) => (Object.hasOwn(values, name) ? (values[name] ?? all) : all));
}

/** For example PLANTSTORE_READ_TOKEN for `readToken`. */
function variableOf(name: string): string {
  return `PLANTSTORE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All processes of the group have ended.
  }
}
