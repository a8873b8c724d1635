/// <reference lib="esnext.disposable" preserve="true" />
/** The service within another program, for its tests: `import { startPlantStore } from 'plant-store'`. */
import { Writable } from 'node:stream';
import { generateToken } from './auth/token.ts';
import { readCommandLine } from './cli/command-line.ts';
import { serveOptions } from './cli/options.ts';
import { StartupError } from './errors.ts';
import { createLogger } from './observe/log.ts';
import { startService } from './service.ts';
import { plantOfFields } from './transfer/new-plant.ts';

/** As in the description; an id beyond 2^53 - 1 has to be a bigint. */
export interface NewPlant {
  readonly id: number | bigint;
  readonly name: string;
  readonly tag?: string;
}

export interface PlantStoreOptions {
  /** What it holds at first: nothing unless given, plants of your own, or the garden, some 50 plants. */
  readonly plants?: 'none' | 'garden' | readonly NewPlant[];
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
  const { plants = 'none', token = generateToken(), args = [], log } = options;
  // Flags take precedence over variables.
  const defaults = { PLANTSTORE_PORT: '0', PLANTSTORE_DATABASE: 'temporary' };
  const { config } = readCommandLine({ name: 'serve', options: serveOptions }, args, defaults);
  const withToken = { ...config, token: readToken(token) };
  const first = await readPlants(plants);
  const lines = new Writable({
    write(line, _encoding, done) {
      log?.(String(line));
      done();
    },
  });
  const service = await startService(withToken, {
    log: createLogger(log === undefined ? 'silent' : config.logLevel, lines),
    now: Date.now,
    random: Math.random,
    async onOpen({ plants }) {
      const taken = (await plants.createMany('default', first)).indexOf('taken');
      if (taken >= 0) throw new StartupError(`plants[${taken}]: another plant has the id ${first[taken]?.id}`);
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

function readToken(token: string): string {
  try {
    return serveOptions.token.read(token);
  } catch (error) {
    throw new StartupError(`token: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

async function readPlants(plants: NonNullable<PlantStoreOptions['plants']>) {
  if (plants === 'none') return [];
  if (plants === 'garden') return (await import('./demo/garden.ts')).readGarden();
  // JavaScript may give anything.
  if (!Array.isArray(plants)) throw new StartupError("plants: it must be 'none', 'garden' or an array of plants");
  return plants.map(({ id, name, tag }: NewPlant, i) => {
    const read = plantOfFields(String(id), name, tag);
    if ('reason' in read) throw new StartupError(`plants[${i}]: ${read.reason}`);
    return read.plant;
  });
}
