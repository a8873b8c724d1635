/** Starts the service within the test's process, on a real engine and a real socket. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { generateToken, hashToken } from '../../src/auth/token.ts';
import { openEngine } from '../../src/cli/engine.ts';
import { type Service, type ServiceOptions, startService } from '../../src/cli/service.ts';
import type { Limits } from '../../src/http/limits.ts';
import { createLogger } from '../../src/observe/log.ts';
import type { Engine } from '../../src/stores/engine.ts';
import { type Client, createClient } from './client.ts';
import { createDatabase } from './database.ts';

export interface TestService extends AsyncDisposable {
  /** The client of a token with every scope on the store `default`. */
  readonly client: Client;
  readonly engine: Engine;
  /** What was logged so far. */
  readonly log: () => string;
  /** A client of a new token. */
  as(credential: { store?: string; scopes?: readonly string[]; expiresAt?: number }): Promise<Client>;
  /** Stops the service and its engine, and starts both again on the same data and port. */
  restart(): Promise<void>;
}

interface TestOptions
  extends Partial<Pick<ServiceOptions, 'baseUrl' | 'docs' | 'token' | 'jwt' | 'rateLimit' | 'now'>> {
  /** Those that are to differ from LIMITS. */
  readonly limits?: Partial<Limits>;
  readonly queueLimit?: number;
}

export const LIMITS: Limits = {
  maxBody: 65_536,
  maxUnread: 2 ** 30,
  maxHeader: 16_384,
  requestTimeout: 10_000,
  maxConnections: 10_000,
};

/** Use with `await using`: the service stops and its data goes when the test ends. */
export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const database = await createDatabase();
  const clients: Client[] = [];
  const stream = new PassThrough();
  let logged = '';
  stream.on('data', (chunk) => {
    logged += chunk;
  });
  const start = async (port: number): Promise<{ engine: Engine; service: Service }> => {
    const engine = await openEngine(database.url, {
      queueLimit: options.queueLimit ?? 10_000,
      connections: 10,
      bound: 5_000,
      random: Math.random,
      onFatal: (cause) => {
        throw cause;
      },
    });
    const starting = startService(engine, {
      host: '127.0.0.1',
      port,
      tls: undefined,
      ...(options.docs === undefined ? {} : { docs: options.docs }),
      baseUrl: options.baseUrl,
      token: options.token,
      jwt: options.jwt,
      rateLimit: options.rateLimit,
      limits: { ...LIMITS, ...options.limits },
      now: options.now ?? Date.now,
      log: createLogger('info', stream),
    });
    // An engine left open would hold the test's process for good.
    const service = await starting.catch(async (error: unknown) => {
      await engine.close();
      throw error;
    });
    return { engine, service };
  };
  let running = await start(0);
  const { port } = running.service.address;
  const stop = async () => {
    await running.service.close(30_000);
    await running.engine.close();
  };
  const as: TestService['as'] = async ({ store = 'default', scopes = running.service.scopes, expiresAt }) => {
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
    await running.service.refreshTokens();
    const prefix = options.baseUrl === undefined ? '' : new URL(options.baseUrl).pathname.replace(/\/$/, '');
    const client = createClient(`http://127.0.0.1:${port}${prefix}`, token);
    clients.push(client);
    return client;
  };
  const client = await as({});
  const restart = async () => {
    await stop();
    // A connection whose end is still on its way to the client would be used once more.
    for (const one of clients) one.close();
    running = await start(port);
  };
  return {
    client,
    get engine() {
      return running.engine;
    },
    log: () => logged,
    as,
    restart,
    async [Symbol.asyncDispose]() {
      for (const one of clients) one.close();
      await stop();
      // Nothing secret reaches a log or the data: held for every token of every test.
      const kept = await database.contents();
      for (const { token } of clients) {
        assert.ok(!logged.includes(token), 'a token in the log');
        assert.ok(!kept.includes(token), 'a token in the database');
      }
      await database[Symbol.asyncDispose]();
    },
  };
}
