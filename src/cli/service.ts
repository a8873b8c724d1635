/** Owns putting the parts together: contract, operations, credentials and an engine become a listening service. */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { eitherOf } from '../auth/authenticator.ts';
import type { Authenticator } from '../auth/credential.ts';
import type { IssuerKeys, KeyTimes } from '../auth/issuer-keys.ts';
import type { JwtRules } from '../auth/jwt.ts';
import { openOpaqueTokens } from '../auth/opaque-tokens.ts';
import type { RateLimit, RateLimiter } from '../auth/rate-limit.ts';
import { parseDescription, readDescription } from '../contract/document.ts';
import { compileOperations, everyScope, type Operation } from '../contract/operation.ts';
import { documentationPages } from '../docs/index.ts';
import { StartupError } from '../errors.ts';
import { type AdminListener, openAdmin } from '../http/admin.ts';
import type { Limits } from '../http/limits.ts';
import type { Pages } from '../http/page.ts';
import { descriptionPages, healthPage, readyPage } from '../http/pages.ts';
import { createPipeline, type Perform, type Result } from '../http/pipeline.ts';
import { createRequestIds } from '../http/request-id.ts';
import { createHttpServer, type Tls } from '../http/server.ts';
import { readTarget } from '../http/target.ts';
import { createWatch } from '../http/watch.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Context } from '../operations/context.ts';
import { handlers } from '../operations/index.ts';
import { createCursors } from '../plants/cursor.ts';
import type { Engine } from '../stores/engine.ts';

export interface ServiceOptions {
  readonly host: string;
  readonly port: number;
  /** Whether other processes may listen on the same port. */
  readonly reusePort?: boolean;
  readonly baseUrl: string | undefined;
  readonly tls: Tls | undefined;
  /** Whether the documentation is served; unless told otherwise it is. */
  readonly docs?: boolean;
  /** A token in force beside those of the token store. */
  readonly token: string | undefined;
  /** Accepts JWTs of an issuer too. */
  readonly jwt?: JwtConfig | undefined;
  /** What each credential may ask; undefined: no limit. */
  readonly rateLimit?: RateLimit | undefined;
  readonly limits: Limits;
  readonly now: () => number;
  readonly log: Logger;
  /** Requests that take longer, in milliseconds, are logged. */
  readonly slowRequest?: number;
  /** Whether every request is logged. */
  readonly accessLog?: boolean;
  /** Where metrics are read, an address apart from the service's; undefined: nowhere, and nothing is counted. */
  readonly admin?: { readonly host: string; readonly port: number; readonly metrics: Metrics } | undefined;
}

export interface JwtConfig extends JwtRules {
  /** Where the keys are; undefined: where the issuer's discovery document says. */
  readonly jwksUrl: string | undefined;
  readonly times?: KeyTimes;
}

export interface Service {
  /** Every scope that an operation asks for. */
  readonly scopes: readonly string[];
  readonly address: AddressInfo;
  /** Where the admin listener is, if there is one. */
  readonly admin: AddressInfo | undefined;
  /** Takes notice of tokens added just now; otherwise that takes up to a second. */
  refreshTokens(): Promise<void>;
  /** Finishes what was accepted, for so many milliseconds at the most. The engine stays open. */
  close(deadline: number): Promise<void>;
}

/** Starts the service on an engine. Rejects, and listens nowhere, when the contract and the code do not agree. */
export async function startService(engine: Engine, options: ServiceOptions): Promise<Service> {
  const text = readDescription();
  const operations = compileOperations(parseDescription(text));
  const base = options.baseUrl ?? '';
  const scopes = everyScope(operations);
  const credentials = await openCredentials(engine, scopes, options);
  let stopping = false;
  const isReady = readinessOf(engine);
  const health: Pages = new Map([
    ['/healthz', healthPage],
    ['/readyz', readyPage(async () => !stopping && (await isReady()))],
  ]);
  const docs = options.docs === false ? [] : documentationPages(base);
  const pages: Pages = new Map([...descriptionPages(text, base), ...health, ...docs]);
  const metrics = options.admin?.metrics;
  metrics?.queue(engine.waiting);
  // Normalised in the same way as the paths of requests, which begin with it.
  const prefix = base === '' ? '' : readTarget(new URL(base).pathname, '').path.replace(/\/$/, '');
  const pipeline = createPipeline({
    operations,
    perform: createPerform(operations, engine, base),
    authenticator: credentials.authenticator,
    accepted: metrics && (() => metrics.credential('accepted')),
    rateLimiter: options.rateLimit && (await openRateLimiter(options.rateLimit)),
    pages,
    prefix,
    maxBody: options.limits.maxBody,
    maxUnread: options.limits.maxUnread,
    log: options.log,
  });
  const server = createHttpServer({
    pipeline,
    watch: createWatch({
      operations,
      prefix,
      log: options.log,
      slow: options.slowRequest ?? Number.POSITIVE_INFINITY,
      accessLog: options.accessLog ?? false,
      metrics,
    }),
    limits: options.limits,
    tls: options.tls,
    requestIds: createRequestIds(randomBytes(6).toString('hex')),
    log: options.log,
  });
  let address: AddressInfo;
  let admin: AdminListener | undefined;
  try {
    address = await server.listen(options.port, options.host, options.reusePort ?? false);
    if (options.admin !== undefined) {
      const { host, port } = options.admin;
      admin = await openAdmin(host, port, options.admin.metrics, health, options.log);
    }
  } catch (error) {
    await server.drain(0);
    // Otherwise their timer would go on reading tokens from a store that the caller closes.
    credentials.close();
    throw error;
  }
  return {
    admin: admin?.address,
    address,
    scopes,
    refreshTokens: credentials.refresh,
    async close(deadline) {
      stopping = true;
      await server.drain(deadline);
      credentials.close();
      // Last, so that the drain itself can be watched.
      await admin?.close();
    },
  };
}

/**
 * Whether the store answers a cheap query. All who ask at the same time share one query: probes need no credential, and
 * strangers must not keep the store's connections from callers.
 */
function readinessOf({ tokens }: Engine): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined;
  const ask = async () => {
    try {
      await tokens.revision();
      return true;
    } catch {
      // What is wrong with the store is logged with the requests that it fails.
      return false;
    }
  };
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

interface Credentials {
  readonly authenticator: Authenticator;
  /** Takes notice of tokens added just now. */
  refresh(): Promise<void>;
  close(): void;
}

/** Opaque tokens, those of the store and the configured one, and the JWTs of an issuer where there is one. */
async function openCredentials(
  { tokens }: Engine,
  scopes: readonly string[],
  options: ServiceOptions,
): Promise<Credentials> {
  const { token, now, log } = options;
  const opaque = await openOpaqueTokens(tokens, token === undefined ? undefined : { token, scopes }, now, log);
  const jwt = options.jwt && (await openJwt(options.jwt, options));
  return {
    authenticator: jwt === undefined ? opaque : eitherOf(opaque, jwt),
    refresh: opaque.refresh,
    close() {
      opaque.close();
      jwt?.close();
    },
  };
}

/** Loaded only where it is asked for: most services start without it. */
async function openJwt(
  config: JwtConfig,
  { now, log }: ServiceOptions,
): Promise<Authenticator & Pick<IssuerKeys, 'close'>> {
  const { createJwtAuthenticator } = await import('../auth/jwt.ts');
  const { createIssuerKeys, KEY_TIMES } = await import('../auth/issuer-keys.ts');
  const keys = createIssuerKeys(config.issuer, config.jwksUrl, config.times ?? KEY_TIMES, log);
  keys.warm();
  return { ...createJwtAuthenticator(config, keys, now), close: keys.close };
}

async function openRateLimiter(limit: RateLimit): Promise<RateLimiter> {
  const { createRateLimiter } = await import('../auth/rate-limit.ts');
  return createRateLimiter(limit);
}

type AnyHandler = (input: unknown, context: Context) => Result | Promise<Result>;

function createPerform(operations: readonly Operation[], engine: Engine, base: string): Perform {
  const cursors = createCursors(engine.cursorKey);
  const table: Readonly<Record<string, unknown>> = handlers;
  // The types bind the table to the generated types; this binds it to the description that is served.
  const byId = new Map(operations.map(({ id }) => [id, table[id] as AnyHandler]));
  for (const [id, handler] of byId) {
    if (handler === undefined) throw new StartupError(`the description's operation ${id} has no handler`);
  }
  for (const id of Object.keys(table)) {
    if (!byId.has(id)) throw new StartupError(`the handler ${id} has no operation in the description`);
  }
  return (operation, input, credential) => {
    const handler = byId.get(operation.id) as AnyHandler;
    return handler(input, { store: credential?.store ?? 'default', plants: engine.plants, cursors, base });
  };
}
