/** Starts a service through npm or npx, as a user does at a terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface NpmProcess {
  readonly url: string;
  /** Sends Ctrl-C and resolves to the text on standard error. */
  stop(): Promise<string>;
}

/** Runs a command that serves. Resolves when it has printed its address, and rejects if it ends before. */
export async function startByNpm(
  [program, ...args]: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<NpmProcess> {
  const child = spawn(program, args, { ...options, detached: true });
  const said = { stdout: '', stderr: '' };
  child.stderr.on('data', (chunk) => {
    said.stderr += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said.stdout += chunk;
      const found = /ready at (\S+)\n[\s\S]*\ncurl /.exec(said.stdout)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`exit ${code}: ${said.stderr}`)));
  });
  const stop = async () => {
    const closed = once(child, 'close');
    // npm does not forward signals. As at a terminal, each process gets the signal.
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await closed;
    return said.stderr;
  };
  return { url, stop };
}
