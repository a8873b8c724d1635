/** A service that is disturbed under load. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateToken } from '../../../src/auth/token.ts';
import { withEngine } from '../../../src/stores/open.ts';
import { type Client, createClient } from '../../../test/harness/client.ts';
import { createDirectory } from '../../../test/harness/directory.ts';
import { PLANTSTORE, serveProcess } from '../../../test/harness/process.ts';
import { compare, plantsOf, readFile } from '../history.ts';
import { createLoad } from '../writing-clients.ts';

export interface Trial extends Disposable {
  readonly client: Client;
  /** The path of the database. */
  readonly path: string;
  /** Sends requests until they have responses or the service has ended. `onWrite` gets each status and its duration. */
  run(requests: number, onWrite?: (status: number, milliseconds: number) => void): Promise<void>;
  /** Stops the service, unless it has ended. Resolves to its exit code. */
  end(): Promise<number | null>;
  /** Opens the file as the next start would. Returns a line for each plant that is not as confirmed. */
  verify(): Promise<readonly string[]>;
}

const WRITERS = 8;

/** `wrapper`: a command that runs the service, for example strace with its options. */
export async function startTrial(
  random: () => number,
  env: NodeJS.ProcessEnv,
  wrapper: readonly string[] = [],
): Promise<Trial> {
  const directory = createDirectory();
  const path = directory.at('plants.db');
  // So that the start writes little, and the disk fails under load.
  await withEngine(`sqlite:${path}`, 'tokens', true, async () => undefined);
  const token = generateToken();
  const [program = PLANTSTORE, ...rest] = [...wrapper, PLANTSTORE];
  const args = ['--database', `sqlite:${path}`, '--log-level', 'fatal'];
  const service = await serveProcess(args, { PLANTSTORE_TOKEN: token, ...env }, { command: [program, ...rest] });
  let hasEnded = false;
  const ended = once(service.child, 'close').then(([code]): number | null => {
    hasEnded = true;
    return code;
  });
  const client = createClient(service.url, token);
  const load = createLoad(random);
  return {
    client,
    path,
    async run(requests, onWrite) {
      let left = requests;
      const writers = Array.from({ length: WRITERS }, async () => {
        while (left-- > 0 && !hasEnded) {
          const sent = performance.now();
          const status = await load.writeOne(client);
          onWrite?.(status, performance.now() - sent);
          if (status === 0) await sleep(5);
        }
      });
      await Promise.all(writers);
    },
    async end() {
      client.close();
      if (!hasEnded) service.child.kill('SIGTERM');
      return ended;
    },
    async verify() {
      const confirmed = (operation: string) => (load.isConfirmed(operation) ? 0 : Number.POSITIVE_INFINITY);
      try {
        const found = await readFile(path, true, (engine) => plantsOf(engine));
        return compare(load.plants, found, [0, 0], confirmed);
      } catch (error) {
        return [String(error)];
      }
    },
    [Symbol.dispose]: directory[Symbol.dispose],
  };
}
