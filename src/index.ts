/// <reference lib="esnext.disposable" preserve="true" />
/** The library: starts the service within another program's tests. `import { startPlantStore } from 'plant-store'` */
import { Writable } from 'node:stream';
import { generateToken } from './auth/token.ts';
import { readCommandLine } from './cli/command-line.ts';
import { serveOptions } from './cli/options.ts';
import { StartupError } from './errors.ts';
import { loadFeatures } from './features.ts';
import { createLogger } from './observe/log.ts';
import type { FaultRule, ReceivedRequest } from './sandbox/client-types.generated.ts';
import { startService } from './service.ts';
import { plantOfFields } from './transfer/new-plant.ts';

/** A plant as in the description. An id beyond 2^53 - 1 must be a bigint. */
export interface NewPlant {
  readonly id: number | bigint;
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
  /** Called with each line of the log, in JSON. Default: nothing is logged. */
  readonly log?: (line: string) => void;
}

export type { FaultRule, ReceivedRequest };

/** A private store with faults on request. */
export interface Sandbox {
  readonly url: string;
  readonly token: string;
  /** Adds a rule after the existing ones. The first rule that matches a request applies. */
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
  sandbox(terms?: { readonly plants?: 'none' | 'garden' }): Promise<Sandbox>;
  /** Finishes all accepted requests, then stops the service and deletes a temporary database. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a service in this process. Several services can run side by side. A service handles no signal and prints
 * nothing. Rejects with an Error in one line if an option is wrong or the service cannot start.
 */
export async function startPlantStore(options: PlantStoreOptions = {}): Promise<RunningPlantStore> {
  const { plants = 'none', token = generateToken(), args = [], log } = options;
  const sandboxes = options.sandboxes ? { sandboxes: MOST_SANDBOXES, sandboxesPerAddress: MOST_SANDBOXES } : {};
  // A suite of tests is one address and may be fast.
  const rates = { sandboxCreateRate: 'off', sandboxControlRate: 'off' } as const;
  const defaults = { port: 0, database: 'temporary', ...sandboxes, ...rates };
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
    features: await loadFeatures(withToken),
    log: createLogger(log === undefined ? 'silent' : config.logLevel, lines),
    now: Date.now,
    random: Math.random,
    async onOpen({ plants }) {
      const taken = (await plants.createMany('default', first)).indexOf('taken');
      if (taken >= 0) throw new StartupError(`plants[${taken}]: another plant has the id ${first[taken]?.id}`);
    },
    // Not handled, so that the running test fails.
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
    const content: unknown = text === '' ? undefined : JSON.parse(text);
    if (!response.ok) throw new Error(`${method} ${path}: ${(content as { message: string }).message}`);
    return content;
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
  // A program in JavaScript can pass any value.
  if (!Array.isArray(plants)) throw new StartupError("plants: it must be 'none', 'garden' or an array of plants");
  return plants.map(({ id, name, tag }: NewPlant, i) => {
    const read = plantOfFields(String(id), name, tag);
    if ('reason' in read) throw new StartupError(`plants[${i}]: ${read.reason}`);
    return read.plant;
  });
}
