/** Starts the service in the process of the test, on a real engine and a real socket. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { generateToken, hashToken } from '../../src/auth/token.ts';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { serveOptionsWith } from '../../src/cli/serve.ts';
import { scopes as plantScopes } from '../../src/contract/openapi.generated.ts';
import type { OpenFeature } from '../../src/feature.ts';
import type { WebhookTimes } from '../../src/features/events/webhooks/times.ts';
import { scopes as webhookScopes } from '../../src/features/events/webhooks/webhooks.generated.ts';
import { FEATURES, type FullConfig, loadFeatures } from '../../src/features/index.ts';
import type { SandboxTimes } from '../../src/features/sandbox/sandbox.ts';
import { createLogger, type Logger } from '../../src/observe/log.ts';
import { type Service, type Surroundings, startService } from '../../src/service.ts';
import type { Engine } from '../../src/stores/engine.ts';
import { type Client, createClient } from './client.ts';
import { createDatabase } from './database.ts';

export interface TestService extends AsyncDisposable {
  /** A client whose token has every scope on the store `default`. */
  readonly client: Client;
  readonly engine: Engine;
  /** The running service, which `restart` replaces. */
  readonly running: Service;
  /** Returns the log so far. */
  readonly log: () => string;
  /** Creates a token and returns a client with it. */
  as(credential: { store?: string; scopes?: readonly string[]; expiresAt?: number }): Promise<Client>;
  /** Stops the service and its engine, then starts both again with the same data and port. */
  restart(): Promise<void>;
}

/** Options of the command line that differ from its defaults, the clock, and further features. */
export interface TestOptions extends Partial<FullConfig> {
  readonly now?: () => number;
  /** Added to the features that the options ask for, as the outermost. */
  readonly features?: readonly OpenFeature[];
  /** How long the service uses a cached sandbox. */
  readonly sandboxTimes?: SandboxTimes;
  /** The times of webhooks, which are then on. */
  readonly webhookTimes?: WebhookTimes;
  readonly keyTimes?: Surroundings['keyTimes'];
}

const everyScope = [...plantScopes, ...webhookScopes];

/** The defaults of `plantstore serve`. */
export const DEFAULTS = readCommandLine({ name: 'serve', options: serveOptionsWith(FEATURES) }, [], {}).config;

async function openWebhookEvents(config: FullConfig, times: WebhookTimes): Promise<OpenFeature> {
  const { openEvents } = await import('../../src/features/events/index.ts');
  const { openWebhooks } = await import('../../src/features/events/webhooks/index.ts');
  return openEvents(config, (context, own, feed, composed) => openWebhooks(context, own, feed, composed, times));
}

/** Starts the service. Default: on a free port of loopback. */
export async function startWith(
  { now = Date.now, keyTimes, features = [], sandboxTimes, webhookTimes, ...options }: TestOptions,
  log: Logger,
): Promise<Service> {
  const rates = { sandboxCreateRate: 'off', sandboxControlRate: 'off' } as const;
  const config = { ...DEFAULTS, ...rates, host: '127.0.0.1', port: 0, drainTimeout: 30_000, ...options };
  const withTimes = new Map([
    [
      'sandboxes',
      sandboxTimes && (await import('../../src/features/sandbox/index.ts')).openSandboxes(config, sandboxTimes),
    ],
    ['events', webhookTimes && (await openWebhookEvents(config, webhookTimes))],
  ]);
  const asked = await loadFeatures(
    config,
    FEATURES.map((entry) => {
      const own = withTimes.get(entry.name);
      return own === undefined ? entry : { ...entry, isAskedFor: () => true, load: async () => own };
    }),
  );
  return startService(config, {
    log,
    now,
    keyTimes,
    features: [...asked, ...features],
    random: Math.random,
    onBroken: (cause) => {
      throw cause;
    },
  });
}

/** Use with `await using`: at the end of the test, the service stops and its data is removed. */
export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const database = await createDatabase();
  const clients: Client[] = [];
  const stream = new PassThrough();
  let logged = '';
  stream.on('data', (chunk) => {
    logged += chunk;
  });
  const start = (port: number) =>
    startWith({ maxUnread: 2 ** 30, ...options, database: database.url, port }, createLogger('info', stream));
  let running = await start(0);
  const { port } = running.address;
  const as: TestService['as'] = async ({ store = 'default', scopes = everyScope, expiresAt }) => {
    const token = generateToken();
    await running.engine.tokens.add({
      hash: hashToken(token),
      name: 'test',
      store,
      scopes,
      createdAt: Date.now(),
      expiresAt,
      revokedAt: undefined,
    });
    await running.refreshTokens();
    const prefix = options.baseUrl === undefined ? '' : new URL(options.baseUrl).pathname.replace(/\/$/, '');
    const client = createClient(`http://127.0.0.1:${port}${prefix}`, token, () => logged);
    clients.push(client);
    return client;
  };
  const client = await as({});
  const restart = async () => {
    await running.close();
    // Without this a client could use a connection whose end has not reached it yet.
    for (const one of clients) one.close();
    running = await start(port);
  };
  return {
    client,
    get running() {
      return running;
    },
    get engine() {
      return running.engine;
    },
    log: () => logged,
    as,
    restart,
    async [Symbol.asyncDispose]() {
      for (const one of clients) one.close();
      await running.close();
      // No token of any test may appear in the log or in the data.
      const kept = await database.contents();
      for (const { token } of clients) {
        assert.ok(!logged.includes(token), 'a token in the log');
        assert.ok(!kept.includes(token), 'a token in the database');
      }
      await database[Symbol.asyncDispose]();
    },
  };
}
