/// <reference lib="esnext.disposable" preserve="true" />
/** The library: starts the service within another program's tests. `import { startPlantStore } from 'plant-store'` */
import { Writable } from 'node:stream';
import { generateToken } from './auth/token.ts';
import { readCommandLine, readValue } from './cli/command-line.ts';
import { serveOptions } from './cli/options.ts';
import { refuseContradictions, serveOptionsWith } from './cli/serve.ts';
import { StartupError } from './errors.ts';
import type { FeatureEntry } from './features/entry.ts';
import { FEATURES, loadFeatures } from './features/index.ts';
import type { FaultRule, ReceivedRequest } from './features/sandbox/client-types.generated.ts';
import { createLogger } from './observe/log.ts';
import { startService } from './service.ts';
import { plantOfFields } from './transfer/new-plant.ts';
import { suggest } from './util/nearest.ts';

/** A plant as in the description. An id beyond 2^53 - 1 must be a bigint or a string of digits. */
export interface NewPlant {
  readonly id: number | bigint | string;
  readonly name: string;
  readonly tag?: string;
}

export interface PlantStoreOptions {
  /** The plants at the start: `none` (default), `garden` (about 50 plants) or an array. */
  readonly plants?: 'none' | 'garden' | readonly NewPlant[];
  /** Allows `sandbox()`, which gives each test its own store, so that tests can run side by side. Default: false. */
  readonly sandboxes?: boolean;
  /** A token with every scope: 16 to 512 characters of `A-Z a-z 0-9 - . _ ~ + /`. Default: a new one. */
  readonly token?: string;
  /**
   * Options of `plantstore serve` as on its command line, such as `['--rate-limit', '5/s']`. They take precedence over
   * the defaults of the library: a free port of 127.0.0.1 and a temporary database. `--demo` is refused.
   */
  readonly args?: readonly string[];
  /**
   * Called with each line of the log, in JSON. If it throws, the error is not handled, so the running test fails.
   * Default: nothing is logged.
   */
  readonly log?: (line: string) => void;
}

export type { FaultRule, ReceivedRequest };

export interface SandboxOptions {
  /** The plants at the start and after each reset: `none` (default), `garden` or an array. */
  readonly plants?: PlantStoreOptions['plants'];
  /** The seconds until the sandbox expires. Default: as long as the service allows. */
  readonly ttl?: number;
}

/** A private store with faults on request. */
export interface Sandbox {
  readonly url: string;
  readonly token: string;
  /**
   * Adds a rule after the existing ones, which keep the requests that they have left. The first rule that matches a
   * request applies. An id beyond 2^53 - 1 must be a bigint or a string of digits.
   */
  fail(rule: FaultRule): Promise<void>;
  /** The last 100 requests with the sandbox's token, oldest first. */
  requests(): Promise<readonly ReceivedRequest[]>;
  /** Restores the initial plants, and deletes all rules and recorded requests. */
  reset(): Promise<void>;
}

export interface RunningPlantStore {
  /** The URL before every path, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** A token with every scope. */
  readonly token: string;
  /** Creates a sandbox. Rejects if the service was started without `sandboxes: true`. */
  sandbox(options?: SandboxOptions): Promise<Sandbox>;
  /** Finishes all accepted requests, then stops the service and deletes a temporary database. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a service in this process. Several services can run side by side. A service handles no signal and prints
 * nothing. Rejects with an Error in one line if an option is wrong or the service cannot start.
 */
export function startPlantStore(options: PlantStoreOptions = {}): Promise<RunningPlantStore> {
  return startWith(FEATURES, options);
}

/**
 * Starts a service with other features, whose options `args` may have.
 * @internal
 */
export async function startWith(
  entries: readonly FeatureEntry[],
  options: PlantStoreOptions,
): Promise<RunningPlantStore> {
  refuseUnknown(options, ['plants', 'sandboxes', 'token', 'args', 'log'], 'startPlantStore()');
  const { plants = 'none', token = generateToken(), args = [], log } = options;
  refuseOtherTypes(args, token, log);
  const sandboxes = options.sandboxes ? { sandboxes: MAX_SANDBOXES, sandboxesPerAddress: MAX_SANDBOXES } : {};
  // A suite of tests is one address and may be fast.
  const rates = { sandboxCreateRate: 'off', sandboxControlRate: 'off' } as const;
  const defaults = { port: 0, database: 'temporary', ...sandboxes, ...rates };
  const { config } = readCommandLine({ name: 'serve', options: serveOptionsWith(entries) }, args, {}, defaults);
  if (config.demo) throw new StartupError("args: --demo is an option of the command; use plants: 'garden' instead");
  await refuseContradictions(config, entries);
  const withToken = { ...config, token: readValue('token', token, serveOptions.token.read) };
  const first = await readPlants(plants);
  const lines = new Writable({
    write(line, _encoding, done) {
      try {
        log?.(String(line));
      } catch (error) {
        failTest(error);
      }
      done();
    },
  });
  const service = await startService(withToken, {
    features: await loadFeatures(withToken, entries),
    log: createLogger(log === undefined ? 'silent' : config.logLevel, lines),
    now,
    random: Math.random,
    async onOpen({ plants }) {
      const taken = (await plants.createMany('default', first)).indexOf('taken');
      if (taken >= 0) throw new StartupError(`plants[${taken}]: another plant has the id ${first[taken]?.id}`);
    },
    onBroken: failTest,
  });
  const { url, ownUrl, close } = service;
  const sandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
    refuseUnknown(options, ['plants', 'ttl'], 'sandbox()');
    if (config.sandboxes === undefined) {
      throw new StartupError(
        'sandbox(): there are no sandboxes; start the store with startPlantStore({ sandboxes: true })',
      );
    }
    const { plants = 'none', ttl } = options;
    const { createSandbox } = await import('./features/sandbox/library-client.ts');
    const stored = typeof plants === 'string' ? plants : await readPlants(plants);
    return { url, ...(await createSandbox(ownUrl, stored, ttl, textOfId)) };
  };
  return { url, token, sandbox, close, [Symbol.asyncDispose]: close };
}

/** Throws an error that nothing handles, so that the running test fails. */
function failTest(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

/** Refuses a value that the types refuse only in TypeScript. */
function refuseOtherTypes(args: unknown, token: unknown, log: unknown): void {
  if (!Array.isArray(args)) throw new StartupError('args: it must be an array of strings');
  const other = args.findIndex((arg) => typeof arg !== 'string');
  if (other >= 0) throw new StartupError(`args[${other}]: it must be a string`);
  if (typeof token !== 'string') throw new StartupError('token: it must be a string');
  if (log !== undefined && typeof log !== 'function') throw new StartupError('log: it must be a function');
}

/** Refuses a mistyped option, which the types refuse only in TypeScript. */
function refuseUnknown(options: object, known: readonly string[], at: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new StartupError(`${at}: there is no option ${unknown}${suggest(unknown, known)}`);
}

/** The clock itself: a test may set the `Date` that it finds. */
const { now } = Date;

/** More than a suite of tests needs. */
const MAX_SANDBOXES = 1_000_000;

/** The id in digits. `at` names it in the error. */
function textOfId(id: number | bigint | string, at: string): string {
  if (typeof id === 'number' && Number.isInteger(id) && !Number.isSafeInteger(id)) {
    throw new StartupError(`${at}: a number cannot be exact beyond 2^53 - 1; write ${id} as a bigint or a string`);
  }
  return String(id);
}

async function readPlants(plants: NonNullable<PlantStoreOptions['plants']>) {
  if (plants === 'none') return [];
  if (plants === 'garden') return (await import('./plants/garden.ts')).readGarden();
  // A program in JavaScript can pass any value.
  if (!Array.isArray(plants)) throw new StartupError("plants: it must be 'none', 'garden' or an array of plants");
  return Array.from(plants, (plant: NewPlant | null | undefined, i) => {
    if (plant == null) throw new StartupError(`plants[${i}]: it must be a plant, such as { id: 1, name: 'Aloe vera' }`);
    const { id, name, tag } = plant;
    const read = plantOfFields(textOfId(id, `plants[${i}].id`), name, tag);
    if ('reason' in read) throw new StartupError(`plants[${i}]: ${read.reason}`);
    return read.plant;
  });
}
