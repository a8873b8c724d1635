/** Starts the service as its users do: the command line in a process of its own. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../../src/cli/run.ts';

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** The token shown at the first start. */
  readonly token: string | undefined;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends a signal and resolves to the exit code, or null after SIGKILL. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** What is run: the sources, unless a test says otherwise. */
export interface Program {
  readonly command: readonly [program: string, ...args: string[]];
  /** The working directory; the test's own unless given. */
  readonly cwd?: string;
}

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
export const PLANTSTORE = fileURLToPath(new URL('../../bin/plantstore', import.meta.url));
const SOURCES: Program = { command: [PLANTSTORE] };

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], env: NodeJS.ProcessEnv, { command: [program, ...first], cwd }: Program) {
  const { PLANTSTORE_TOKEN: _, DATABASE_URL: __, PORT: ___, ...clean } = process.env;
  const child = spawn(program, [...first, ...args], {
    env: { ...clean, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.stderr += chunk;
  });
  return { child, said };
}

/** Runs a command to its end. */
export async function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  program = SOURCES,
): Promise<Finished> {
  const { child, said } = start(args, env, program);
  const [code] = await once(child, 'close');
  return { code, ...said };
}

/** As runCommand, within the test's own process: for a command line that ends before it serves. */
export async function runHere(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  /** Settles when the command is told to stop. */
  stopped = new Promise<void>(() => undefined),
): Promise<Finished> {
  const said = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += chunk;
        done();
      },
    });
  const code = await run(args, {
    env,
    stdin: Readable.from([]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    stopped: () => stopped,
    exit: (status) => {
      throw new Error(`the command ended its process with ${status}`);
    },
  });
  return { code, ...said };
}

/** Ended with this code and exactly one line, which matches. */
export function refusedWith({ code, stdout, stderr }: Finished, expected: number, line: RegExp): void {
  assert.deepEqual([code, stdout], [expected, ''], stderr);
  assert.match(stderr, /^plantstore: [^\n]+\n$/);
  assert.match(stderr, line);
}

/** `plantstore serve` on a free port; resolves once it has said where it is. */
export async function serveProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  program = SOURCES,
): Promise<ServiceProcess> {
  const port = args.includes('--port') ? [] : ['--port', '0'];
  const { child, said } = start(['serve', ...port, ...args], env, program);
  const closed = once(child, 'close');
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /ready at (\S+)\n[\s\S]*\n\n/.exec(said.stdout)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', look);
    void closed.then(([code]) => reject(new Error(`exit ${code}: ${said.stderr}`)));
  });
  return {
    child,
    url,
    token: /\b(pst_\w+)/.exec(said.stdout)?.[1],
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    async stop(signal) {
      child.kill(signal);
      const [code] = await closed;
      return code;
    },
  };
}
