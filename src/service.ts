/** The composition root: opens every part in the order in which it is needed, and closes them in reverse. */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Alterations } from './alterations.ts';
import { type Authenticate, bearerToken } from './auth/credential.ts';
import type { KeyTimes } from './auth/issuer-keys.ts';
import { openOpaqueTokens } from './auth/opaque-tokens.ts';
import { issueToken, looksLikeJwt } from './auth/token.ts';
import type { ServeConfig } from './config.ts';
import { createLinks } from './contract/links.ts';
import type { Operations } from './contract/operation.ts';
import { operations, scopes } from './description/openapi.generated.ts';
import { documentationPages } from './docs/index.ts';
import { StartupError, StoreFailure } from './errors.ts';
import { createInputReader } from './http/input.ts';
import { authority, type Listener, listen } from './http/listener.ts';
import { metricsObserver, outageLog, requestLog } from './http/observers.ts';
import {
  addressFor,
  DESCRIPTION,
  descriptionPages,
  healthPages,
  metricsPages,
  SANDBOX_DESCRIPTION,
  shareReadiness,
} from './http/pages.ts';
import { createPipeline, type Observe, type Steps } from './http/pipeline.ts';
import { authorizationOf, createRequestIds, prefixOf } from './http/request.ts';
import { createEncoder, finishResponse, writeResponse } from './http/response.ts';
import { createRouter } from './http/router.ts';
import { readTls } from './http/tls.ts';
import type { Logger } from './observe/log.ts';
import { handlers } from './operations/index.ts';
import { createCursors } from './plants/cursor.ts';
import type { SandboxTimes } from './sandbox/index.ts';
import type { Engine } from './stores/engine.ts';
import { openEngine } from './stores/open.ts';

/** What a service has of the world: tests give their own. */
export interface Surroundings {
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** How often the keys of a JWT issuer are asked for; as in `issuer-keys.ts` unless given. */
  readonly keyTimes?: KeyTimes | undefined;
  /** Called, and waited for, once the database is open: until then there is nothing to finish. */
  readonly onOpen?: (engine: Engine) => void | Promise<void>;
  /** How long what is known of sandboxes is used; as in `sandboxes.ts` unless given. */
  readonly sandboxTimes?: SandboxTimes | undefined;
  /** What is planted into it (src/defects). */
  readonly alterations?: Alterations | undefined;
  /** Called once when the store can no longer be trusted: the service has to stop. */
  readonly onBroken: (cause: unknown) => void;
}

export interface Service {
  /** What clients put before a path. */
  readonly url: string;
  readonly address: AddressInfo;
  /** Where the admin listener is, if there is one. */
  readonly admin: AddressInfo | undefined;
  readonly engine: Engine;
  /** The token made for a store that had none, shown this once. */
  readonly firstToken: string | undefined;
  /** Takes notice of tokens added just now; otherwise that takes up to a second. */
  refreshTokens(): Promise<void>;
  /** Finishes what was accepted, within `drainTimeout`, and lets go of the data. */
  close(): Promise<void>;
}

/** What `--demo` has of sandboxes beside its own, where the options do not say. */
const DEMO_SANDBOXES = 100;

/** Limits of the admin listener, whose clients are the operator's. */
const ADMIN_LIMITS = { maxHeader: 16_384, requestTimeout: 5_000, maxConnections: 1_000 };

/** Throws a StartupError, in one line, when some part cannot be opened; nothing stays open then. */
export async function startService(config: ServeConfig, surroundings: Surroundings): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const { log, random, onBroken, alterations = {} } = surroundings;
  const tls = readTls(config.tlsCert, config.tlsKey);
  const metrics = config.admin && (await openMetrics());

  const engine = await openEngine(config.database, {
    queueLimit: config.maxQueue,
    connections: config.databaseConnections,
    timeout: config.databaseTimeout,
    random,
    onCommit: metrics?.committed,
    onFatal: onBroken,
  });
  opened.defer(() => engine.close());
  await surroundings.onOpen?.(engine);
  metrics?.queue(engine.waiting);
  try {
    const fixed = config.token === undefined ? undefined : { token: config.token, scopes };
    const records = alterations.tokens?.(engine.tokens) ?? engine.tokens;
    const tokens = await openOpaqueTokens(records, fixed, surroundings);
    opened.defer(tokens.close);
    const jwt = config.jwtIssuer === undefined ? undefined : await openJwt(config, surroundings);
    opened.defer(() => jwt?.close());
    // No token is ever tried as both.
    const authenticate: Authenticate = (token) =>
      jwt !== undefined && !token.startsWith('pst_') && looksLikeJwt(token)
        ? jwt.authenticate(token)
        : tokens.authenticate(token);

    const links = createLinks(operations, config.baseUrl ?? '');
    const cursors = createCursors(engine.cursorKey);
    const sandboxes =
      config.demo || config.sandboxes !== undefined ? await openOwnStores(config, engine, surroundings) : undefined;
    opened.defer(() => sandboxes?.close());
    if (metrics !== undefined && sandboxes !== undefined) metrics.sandboxes(sandboxes);
    const plants = alterations.plants?.(engine.plants) ?? engine.plants;
    const ownSteps: Steps = {
      authenticate: ({ request }) => authenticate(bearerToken(authorizationOf(request))),
      readInput: createInputReader(config.maxBody),
      async perform({ operation, credential }, input) {
        const handler = handlers[operation?.id as keyof typeof handlers] as AnyHandler;
        return handler(input, { store: credential?.store ?? 'default', plants, cursors, links });
      },
      encode: createEncoder(config.maxUnread),
      finish: finishResponse,
      write: writeResponse,
    };
    const all = [sandboxes?.alterations ?? {}, alterations];
    const steps = all.reduce((steps, { steps: alter }) => alter?.(steps) ?? steps, ownSteps);
    const table = all.reduce<Operations>((table, { operations: alter }) => alter?.(table) ?? table, operations);
    let isStopping = false;
    const isStoreReady = shareReadiness(() => engine.tokens.revision());
    const health = healthPages(async () => !isStopping && (await isStoreReady()));
    const docs = config.noDocs
      ? []
      : documentationPages(config.baseUrl ?? '', config.demo ? config.token : undefined, sandboxes?.panel);
    const scheme = tls === undefined ? 'http' : 'https';
    const serverOf = addressFor(config.baseUrl, scheme, config.host);
    const description = descriptionPages(serverOf, DESCRIPTION);
    const own = sandboxes === undefined ? [] : descriptionPages(serverOf, SANDBOX_DESCRIPTION);
    const pages = new Map([...description, ...own, ...health, ...docs]);
    const prefix = prefixOf(config.baseUrl);
    const router = createRouter(table, pages, prefix, `${prefix}/openapi.json describes the paths that exist`);
    const observers: Observe[] = [
      ...(metrics ? [metricsObserver(metrics, Object.keys(table))] : []),
      ...(sandboxes ? [sandboxes.observe] : []),
      outageLog(log),
      requestLog(log, { slow: config.slowRequest, all: config.accessLog ?? false }),
    ];
    const rateLimiter = config.rateLimit && (await openRateLimiter(config.rateLimit));

    let admin: Listener | undefined;
    // After the service's own listener, so that its end can be watched.
    opened.defer(() => admin?.close(0));
    const listener = await listen({
      ...config,
      flag: '--port',
      tls,
      limits: config,
      router,
      pipeline: createPipeline({ router, steps, rateLimiter, observers, log }),
      requestIds: createRequestIds(randomBytes(6).toString('hex')),
    });
    opened.defer(() => {
      isStopping = true;
      return listener.close(config.drainTimeout);
    });
    if (config.admin !== undefined && metrics !== undefined) {
      const pages = new Map([...metricsPages(metrics), ...health]);
      const router = createRouter({}, pages, '', 'There are /metrics, /healthz and /readyz');
      admin = await listen({
        ...config.admin,
        flag: '--admin',
        reusePort: false,
        tls: undefined,
        limits: ADMIN_LIMITS,
        router,
        pipeline: createPipeline({ router, steps, rateLimiter: undefined, observers: [], log }),
        requestIds: createRequestIds('admin'),
      });
    }
    const firstToken = config.token === undefined ? await addFirstToken(engine) : undefined;
    // Another replica may have added the first token a moment before.
    await tokens.refresh();

    const { port } = listener.address;
    const parts = opened.move();
    return {
      url: config.baseUrl ?? `${scheme}://${authority(config.host, port)}`,
      address: listener.address,
      admin: admin?.address,
      engine,
      firstToken,
      refreshTokens: tokens.refresh,
      close: () => parts.disposeAsync(),
    };
  } catch (error) {
    // A store that could be opened but failed the first queries, for example because another process keeps it busy.
    if (!(error instanceof StoreFailure)) throw error;
    throw new StartupError(`cannot use ${engine.location}: ${error.why}`, { cause: error });
  }
}

type AnyHandler = (input: unknown, context: object) => ReturnType<Steps['perform']>;

async function addFirstToken({ tokens }: Engine): Promise<string | undefined> {
  const terms = { name: 'first', store: 'default', scopes, createdAt: Date.now(), expiresAt: undefined };
  const { token, record } = issueToken(terms);
  return (await tokens.addFirst(record)) ? token : undefined;
}

// Loaded only where they are asked for: most services start without them.

async function openMetrics() {
  const { createMetrics } = await import('./observe/metrics.ts');
  return createMetrics();
}

async function openRateLimiter(limit: NonNullable<ServeConfig['rateLimit']>) {
  const { createRateLimiter } = await import('./auth/rate-limit.ts');
  return createRateLimiter(limit);
}

async function openOwnStores(config: ServeConfig, engine: Engine, surroundings: Surroundings) {
  const { openSandboxes, SANDBOX_TIMES } = await import('./sandbox/index.ts');
  const { now, random, log, sandboxTimes: times = SANDBOX_TIMES } = surroundings;
  const limits = {
    most: config.sandboxes ?? DEMO_SANDBOXES,
    mostPerAddress: config.sandboxesPerAddress,
    ttl: config.sandboxTtl,
    plants: config.sandboxPlants,
  };
  const demoToken = config.demo ? config.token : undefined;
  return openSandboxes({ engine, limits, times, now, random, log, demoToken, trustProxy: config.trustProxy ?? [] });
}

async function openJwt(config: ServeConfig, surroundings: Surroundings) {
  const { openJwts } = await import('./auth/jwt.ts');
  const { jwtIssuer: issuer = '', jwtAudience: audience = '', jwtTyp, jwksUrl } = config;
  return openJwts({ issuer, audience, jwksUrl, typ: jwtTyp === 'any' ? undefined : jwtTyp }, surroundings);
}
