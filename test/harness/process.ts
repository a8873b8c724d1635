/** Starts the service as users do, with the command line in a separate process. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from '../../lab/program.ts';
import { runCommandLine } from '../../src/cli/run-command.ts';

/** Is killed when it is disposed, and at the end of the test or the suite that has started it. */
export interface ServiceProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly url: string;
  /** The token that the first start prints. */
  readonly token: string | undefined;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends a signal. Resolves to the exit code, or to null after SIGKILL. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** The program to run. Default: the sources. */
export interface Program {
  readonly command: readonly [program: string, ...args: string[]];
  /** The working directory. Default: the test's. */
  readonly cwd?: string;
}

export const MAIN = fileURLToPath(new URL('../../lab/main.ts', import.meta.url));
export const PLANTSTORE = fileURLToPath(new URL('../../bin/plantstore', import.meta.url));
export const SOURCES: Program = { command: [PLANTSTORE] };

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
  // A test that fails before it stops its process must end nevertheless.
  after(() => child.kill('SIGKILL'));
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

/** Like runCommand, but in the process of the test. For command lines that end before they serve. */
export async function runHere(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  /** Settles when the command should stop. */
  stopped = new Promise<void>(() => undefined),
  /** Default: the service with the laboratory. */
  program = PROGRAM,
): Promise<Finished> {
  const said = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += chunk;
        done();
      },
    });
  const code = await runCommandLine(
    args,
    {
      env,
      stdin: Readable.from([]),
      stdout: collect('stdout'),
      stderr: collect('stderr'),
      stopped: () => stopped,
      exit: (status) => {
        throw new Error(`the command ended its process with ${status}`);
      },
    },
    program,
  );
  return { code, ...said };
}

/** Asserts that a command ended with this code and exactly one line that matches. */
export function refusedWith({ code, stdout, stderr }: Finished, expected: number, line: RegExp): void {
  assert.deepEqual([code, stdout], [expected, ''], stderr);
  assert.match(stderr, /^plantstore: [^\n]+\n$/);
  assert.match(stderr, line);
}

/**
 * Runs `plantstore serve` on a free port. Resolves when it has printed its address. Not for `before` outside a suite:
 * such a hook belongs to the first test, whose end would kill the service.
 */
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
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    const [code] = await closed;
    return code;
  };
  return {
    child,
    url,
    token: /\b(pst_\w+)/.exec(said.stdout)?.[1],
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  };
}
