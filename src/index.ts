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
  /** Lets `sandbox()` make stores of their own, so that tests that run side by side do not meet. */
  readonly sandboxes?: boolean;
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

/** As in sandbox.yaml: what goes wrong, for which requests, and how often. */
export interface FaultRule {
  readonly fault:
    | { readonly kind: 'status'; readonly status: number }
    | { readonly kind: 'delay'; readonly ms: number }
    | { readonly kind: 'reset' }
    | { readonly kind: 'truncate' }
    | { readonly kind: 'slow'; readonly rate: number };
  readonly match?: {
    readonly operation?: 'listPlants' | 'createPlant' | 'getPlant' | 'replacePlant' | 'deletePlant';
    readonly id?: number;
  };
  /** Before the operation, which then does nothing, unless given. */
  readonly when?: 'before' | 'afterCommit';
  readonly skip?: number;
  readonly times?: number;
  readonly share?: number;
  readonly seed?: number;
}

/** A request that a sandbox received, without its credential. */
export interface ReceivedRequest {
  readonly number: number;
  readonly at: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body?: string;
  readonly status: number;
  readonly error?: number;
  readonly milliseconds: number;
  readonly fault?: string;
}

/** A store of its own, with faults on request. */
export interface Sandbox {
  readonly url: string;
  readonly token: string;
  /** Adds a rule behind those that there are; for each request the first that matches applies. */
  fail(rule: FaultRule): Promise<void>;
  /** The last hundred requests with its token, oldest first. */
  requests(): Promise<readonly ReceivedRequest[]>;
  /** Back to the plants that it began with, without any rule, and with nothing received. */
  reset(): Promise<void>;
}

export interface RunningPlantStore {
  /** What comes before a path, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** A token with every scope. */
  readonly token: string;
  /** Makes a sandbox. Rejects unless the service was started with `sandboxes: true`. */
  sandbox(terms?: { readonly plants?: 'none' | 'garden' }): Promise<Sandbox>;
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
  const sandboxes = options.sandboxes ? { sandboxes: MOST_SANDBOXES, sandboxesPerAddress: MOST_SANDBOXES } : {};
  const defaults = { port: 0, database: 'temporary', ...sandboxes };
  const { config } = readCommandLine({ name: 'serve', options: serveOptions }, args, {}, defaults);
  if (config.demo) throw new StartupError("args: --demo is an option of the command; use plants: 'garden' instead");
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
  const sandbox = (terms = {}) => makeSandbox(url, terms);
  return { url, token, sandbox, close, [Symbol.asyncDispose]: close };
}

/** More than a suite of tests needs. */
const MOST_SANDBOXES = 1_000_000;

async function makeSandbox(url: string, terms: object): Promise<Sandbox> {
  const send = async (method: string, path: string, body?: unknown, token = '') => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const said: unknown = text === '' ? undefined : JSON.parse(text);
    if (!response.ok) throw new Error(`${method} ${path}: ${(said as { message: string }).message}`);
    return said;
  };
  const { token } = (await send('POST', '/sandboxes', terms)) as { readonly token: string };
  return {
    url,
    token,
    async fail(rule) {
      const rules = (await send('GET', '/sandbox/faults', undefined, token)) as readonly FaultRule[];
      await send('PUT', '/sandbox/faults', [...rules, rule], token);
    },
    requests: async () => (await send('GET', '/sandbox/requests', undefined, token)) as readonly ReceivedRequest[],
    async reset() {
      await send('POST', '/sandbox/reset', undefined, token);
      await send('DELETE', '/sandbox/faults', undefined, token);
      await send('DELETE', '/sandbox/requests', undefined, token);
    },
  };
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
  if (plants === 'garden') return (await import('./plants/garden.ts')).readGarden();
  // JavaScript may give anything.
  if (!Array.isArray(plants)) throw new StartupError("plants: it must be 'none', 'garden' or an array of plants");
  return plants.map(({ id, name, tag }: NewPlant, i) => {
    const read = plantOfFields(String(id), name, tag);
    if ('reason' in read) throw new StartupError(`plants[${i}]: ${read.reason}`);
    return read.plant;
  });
}
