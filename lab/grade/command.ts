/** Runs the tester in its own process group, so that all its processes can be ended. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { explainWriteErrors } from '../../src/util/new-file.ts';
import { endLeftProcesses } from './left-processes.ts';

/** How long a tester may take to write its report after SIGTERM, and its last output after its end. */
const GRACE_MS = 2_000;

/** The values of placeholders such as `{url}`. The environment has the same value as PLANTSTORE_URL. */
export type Values = Readonly<Record<string, string>>;

export interface Ended {
  /** Null if a signal ended the command. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the grader ended it. */
  readonly wasStopped: boolean;
  /** The time from the start of the command to its end. */
  readonly testerMilliseconds: number;
}

interface Place {
  /** The working folder of the command. */
  readonly folder: string;
  /** The file for everything that the command prints. */
  readonly output: string;
  /** The most bytes of output that are kept. */
  readonly maxOutput: number;
  /** Ends the command, first with SIGTERM. */
  readonly stop: AbortSignal;
}

/** Why a program cannot be started, and what to do. A program without a slash is looked for in the folders of PATH. */
export function explainStart(program: string, error: unknown): string {
  const code = Error.isError(error) && 'code' in error ? error.code : undefined;
  const stats = existsSync(program) ? statSync(program) : undefined;
  // A whole line is one word if it is in quotes. Its end may contain a token.
  if (stats === undefined && /\s/.test(program)) {
    const [first = ''] = program.trim().split(/\s/);
    return `${first} …: no such program; remove the quotes around the command, or write sh -c before it`;
  }
  const isHere = stats?.isFile() === true;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: !isHere
      ? 'no such program'
      : /[/\\]/.test(program)
        ? 'the program in its first line does not exist, or that line ends with a carriage return'
        : `no such program; write ./${program} for the file in this folder`,
    ENOTDIR: 'no such program',
    ENAMETOOLONG: 'its name is too long',
    EACCES: stats?.isDirectory()
      ? 'it is a folder'
      : `the file is not executable; run chmod +x ${program}, or write its interpreter before it`,
  };
  const reason = Error.isError(error) ? error.message : String(error);
  return `${program}: ${reasons[String(code)] ?? reason}`;
}

/** The command cannot be started. */
export class CannotStart extends Error {}

/**
 * Runs the command until its end, or until `stop`. Rejects with CannotStart, or with a StartupError if its output
 * cannot be written.
 */
export const runCommand = (command: readonly string[], values: Values, place: Place): Promise<Ended> =>
  explainWriteErrors(place.output, () => run(command, values, place));

async function run(
  command: readonly string[],
  values: Values,
  { folder, output, maxOutput, stop }: Place,
): Promise<Ended> {
  const [program = '', ...args] = command.map((word) => fillIn(word, values));
  const env = environmentOf(values);
  using file = openOutput(output, maxOutput);
  const began = performance.now();
  const child = start(program, args, { cwd: folder, detached: true, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  const exited = once(child, 'exit').catch((error) => {
    throw new CannotStart(explainStart(program, error));
  });
  let wasStopped = false;
  let failure: unknown;
  const end = () => {
    wasStopped = true;
    endGroup(child, 'SIGTERM');
    void Promise.race([exited, sleep(GRACE_MS, undefined, { ref: false })]).then(
      () => endGroup(child, 'SIGKILL'),
      () => undefined,
    );
  };
  const write = (chunk: Buffer) => {
    try {
      file.write(chunk);
    } catch (error) {
      failure = error;
      end();
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', write);
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  try {
    const [exitCode, signal] = await exited;
    const testerMilliseconds = Math.round(performance.now() - began);
    stop.removeEventListener('abort', end);
    // Processes that the command left behind would disturb other runs.
    endGroup(child, 'SIGKILL');
    // Each run has its own report, so this variable belongs to no other process.
    if (values['report'] !== undefined) endLeftProcesses(variableOf('report'), values['report']);
    // A process that left the group may keep the output open.
    await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })]);
    if (failure !== undefined) throw failure;
    return { exitCode, signal, wasStopped, testerMilliseconds };
  } finally {
    stop.removeEventListener('abort', end);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

function start(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return spawn(/[/\\]/.test(program) ? resolve(program) : program, args, options);
  } catch (error) {
    // Some errors are emitted instead, such as ENOENT.
    throw new CannotStart(explainStart(program, error));
  }
}

/** The variables of Node that are not meant for the command: a runner of tests in a test would run no test. */
const OF_NODE = ['NODE_TEST_CONTEXT', 'NODE_TEST_WORKER_ID', 'NODE_COMPILE_CACHE'];

/** The environment of the command: the user's, with the values, and without what would mislead the command. */
function environmentOf(values: Values): NodeJS.ProcessEnv {
  const own = withoutOwnVariables(process.env);
  const env = Object.fromEntries(Object.entries(own).filter(([name]) => !OF_NODE.includes(name)));
  const variables = Object.entries(values).map(([name, value]) => [variableOf(name), value]);
  return { ...env, ...Object.fromEntries(variables) };
}

/** The user's variables are meant for another service, and PLANTSTORE_ONLY would reveal defects. */
export function withoutOwnVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PLANTSTORE_')));
}

/** Writes the first `most` bytes to a file, and at the end how many bytes are missing. */
function openOutput(path: string, most: number): Disposable & { write(chunk: Buffer): void } {
  const file = openSync(path, 'w');
  let size = 0;
  return {
    write(chunk) {
      if (size < most) writeSync(file, chunk.subarray(0, most - size));
      size += chunk.length;
    },
    [Symbol.dispose]() {
      if (size > most) writeSync(file, `\n[plantstore: ${size - most} more bytes were left out]\n`);
      closeSync(file);
    },
  };
}

/** The last line that a program printed. Node, Java and Go print their errors before other lines. */
export function lastLine(printed: string): string {
  const lines = printed.trim().split('\n');
  const last = lines.at(-1) ?? '';
  const isError = (line: string) => /^(?:\w*Error\b|Exception in thread |Caused by: |panic: |fatal error: )/.test(line);
  return (/^(?:Node\.js v\d|\s)/.test(last) && lines.findLast(isError)) || last.trim();
}

/** Replaces placeholders such as `{url}` in a word. Other braces belong to the tester. */
function fillIn(word: string, values: Values): string {
  return word.replaceAll(/\{(\w+)\}/g, (all, name) => (Object.hasOwn(values, name) ? (values[name] ?? all) : all));
}

/** For example PLANTSTORE_READ_TOKEN for `readToken`. */
function variableOf(name: string): string {
  return `PLANTSTORE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** Ends all processes of a group whose leader is the child. */
export function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All processes of the group have ended.
  }
}
