/** The service within another program, for its tests: `import { startPlantStore } from 'plant-store'`. */
import { Writable } from 'node:stream';
import { generateToken } from './auth/token.ts';
import { readCommandLine } from './cli/command-line.ts';
import { serveOptions } from './cli/options.ts';
import { createLogger } from './observe/log.ts';
import { startService } from './service.ts';

export interface PlantStoreOptions {
  /** What it holds at first: nothing unless given, or the garden, some 50 plants. */
  readonly plants?: 'none' | 'garden';
  /** A token with every scope: 16 to 512 characters of `A-Z a-z 0-9 - . _ ~ + /`. One is made unless given. */
  readonly token?: string;
  /**
   * Options of `plantstore serve`, as on its command line: `['--rate-limit', '5/s']`. Unless they say otherwise it listens
   * on a free port of 127.0.0.1, and its database is temporary.
   */
  readonly args?: readonly string[];
  /** Is given each line of the log, in JSON; nothing is logged unless given. */
  readonly log?: (line: string) => void;
}

export interface RunningPlantStore {
  /** What comes before a path, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** A token with every scope. */
  readonly token: string;
  /** Finishes the requests already accepted, and removes a temporary database. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a service in this process; there may be several. It handles no signal and prints nothing. Rejects with an Error
 * in one line when an option is wrong or the service cannot be started.
 */
export async function startPlantStore(options: PlantStoreOptions = {}): Promise<RunningPlantStore> {
  const { plants: begin = 'none', token = generateToken(), args = [], log } = options;
  // Flags take precedence over variables.
  const defaults = { PLANTSTORE_PORT: '0', PLANTSTORE_DATABASE: 'temporary', PLANTSTORE_TOKEN: token };
  const { config } = readCommandLine({ name: 'serve', options: serveOptions }, args, defaults);
  const lines = new Writable({
    write(line, _encoding, done) {
      log?.(String(line));
      done();
    },
  });
  const service = await startService(config, {
    log: createLogger(log === undefined ? 'silent' : config.logLevel, lines),
    now: Date.now,
    random: Math.random,
    async onOpen({ plants }) {
      if (begin === 'none') return;
      const { plantGarden } = await import('./demo/demo.ts');
      await plantGarden(plants);
    },
    // As any error that nothing can handle: the test that runs fails.
    onBroken: (cause) =>
      setImmediate(() => {
        throw cause;
      }),
  });
  const { url, close } = service;
  return { url, token, close, [Symbol.asyncDispose]: close };
}
