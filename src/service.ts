/** The composition root: opens every part in order, and closes the parts in reverse order. */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { authorize, openAuthenticator } from './auth/authenticate.ts';
import type { KeyTimes } from './auth/issuer-keys.ts';
import { isLoopback } from './auth/secure-url.ts';
import { issueToken } from './auth/token.ts';
import type { ServeConfig } from './config.ts';
import { exposedFields, scopes } from './contract/openapi.generated.ts';
import type { Operation } from './contract/operation.ts';
import { StartupError, StoreFailure } from './errors.ts';
import type { Composed, Deliver, Feature, FeatureContext, OpenFeature } from './feature.ts';
import { whereToLook } from './features/missing-path.ts';
import { authority, type Listener, listen } from './http/connections/listener.ts';
import { connectionsWithinFiles } from './http/connections/open-files.ts';
import { readTls, strictTransport } from './http/connections/tls.ts';
import { closedConnectionLog, createOutageLog, metricsObserver, requestLog } from './http/observers.ts';
import { addressFor, createHealth, descriptionPages, metricsPages } from './http/pages.ts';
import { createPipeline, type Observe, perform, type Steps, unlimited } from './http/pipeline.ts';
import { createInputReader } from './http/read-input.ts';
import { createRequestIds, prefixOf } from './http/request.ts';
import { limitUnread } from './http/reserve.ts';
import { createEncoder, createFinisher, writeResponse } from './http/response.ts';
import { createRouter } from './http/router.ts';
import type { Metric } from './observe/metrics.ts';
import { createPlantApi } from './operations/index.ts';
import { documentationPages } from './page/index.ts';
import type { PageParts } from './page/site.ts';
import type { Engine } from './stores/engine.ts';
import { openEngine } from './stores/open.ts';
import { refuseDuplicates } from './util/refuse-duplicates.ts';

/** The outside dependencies of a service. Tests pass their own clock, random numbers and log. */
export interface Surroundings extends Pick<FeatureContext, 'log' | 'now' | 'random'> {
  /** The times for fetching a JWT issuer's keys. Default: the times in `issuer-keys.ts`. */
  readonly keyTimes?: KeyTimes | undefined;
  /** Called once the database is open. The start waits for it. */
  readonly onOpen?: (engine: Engine) => void | Promise<void>;
  /** The features, from the innermost to the outermost: each wraps those before it. Default: none. */
  readonly features?: readonly OpenFeature[];
  /** Called once when the store can no longer be trusted. The service must then stop. */
  readonly onBroken: (cause: unknown) => void;
}

export interface Service {
  /** The URL that clients put before a path. */
  readonly url: string;
  /** The same paths without a proxy in between: the address of the listener, with the path of the base URL. */
  readonly ownUrl: string;
  readonly address: AddressInfo;
  /** The address of the admin listener, if there is one. */
  readonly admin: AddressInfo | undefined;
  readonly engine: Engine;
  /** The token that was created because the database had none. It cannot be read again later. */
  readonly firstToken: string | undefined;
  /** Rereads the tokens immediately. Otherwise a new token becomes valid within a second. */
  refreshTokens(): Promise<void>;
  /** Finishes accepted requests within `drainTimeout`, then closes the database. */
  close(): Promise<void>;
}

/** Limits of the admin listener, which only the operator's programs use. */
const ADMIN_LIMITS = {
  maxHeader: 16_384,
  requestTimeout: 5_000,
  idleTimeout: 65_000,
  maxConnections: 1_000,
  maxConnectionsPerAddress: 1_000,
  trustProxy: undefined,
};

/** Starts a service. If a part cannot be opened, closes all others and throws a StartupError. */
export async function startService(config: ServeConfig, surroundings: Surroundings): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const { log, now, random, onBroken } = surroundings;
  const tls = readTls(config.tlsCert, config.tlsKey, now(), (message) => log.warn({}, message));
  const metrics = config.admin && (await import('./observe/metrics.ts')).createMetrics();

  const engine = await openEngine(config.database, {
    queueLimit: config.maxQueue,
    connections: config.databaseConnections,
    timeout: config.databaseTimeout,
    random,
    onCommit: metrics?.committed,
    onUpgrade: (from, to) => log.info({ from, to }, 'the tables of the database were upgraded'),
    onFatal: onBroken,
  });
  opened.defer(() => engine.close());
  try {
    await surroundings.onOpen?.(engine);
    const features: Feature[] = [];
    for (const open of surroundings.features ?? []) {
      const feature = await open({ config, engine, log, now, random });
      opened.defer(() => feature.close?.());
      features.push(feature);
    }
    const wrapped = <Part>(own: Part, wrapperIn: (feature: Feature) => ((inner: Part) => Part) | undefined): Part =>
      features.reduce((inner, feature) => wrapperIn(feature)?.(inner) ?? inner, own);

    const tokens = wrapped(engine.tokens, (feature) => feature.tokens);
    const allScopes = [...scopes, ...features.flatMap((feature) => feature.scopes ?? [])];
    const authenticator = await openAuthenticator(config, tokens, allScopes, surroundings);
    opened.defer(authenticator.close);
    const plants = wrapped(engine.plants, (feature) => feature.plants);
    const reserve = wrapped(limitUnread(config.maxUnread), (feature) => feature.reserve);
    const prefix = prefixOf(config.baseUrl);
    // A circle: the Apis of features need the steps, the steps need the router, and the router needs all operations. So
    // the router and the list of operations are filled last.
    const router = createRouter(prefix, (path, pages) => whereToLook(path, pages, prefix));
    const limitRate = config.rateLimit && (await import('./auth/rate-limit.ts')).limitCredentials(config.rateLimit);
    const ownSteps: Steps = {
      route: router.route,
      authenticate: authenticator.authenticate,
      authorize,
      limitRate: limitRate ?? unlimited,
      readInput: createInputReader(config.maxBody, reserve),
      perform,
      encode: createEncoder(reserve),
      finish: createFinisher(
        [...exposedFields, ...features.flatMap((feature) => feature.exposedFields ?? [])],
        strictTransport(config.baseUrl),
      ),
      write: writeResponse,
    };
    const steps = wrapped(ownSteps, (feature) => feature.steps);

    const changed = (operation: Operation) => wrapped(operation, (feature) => feature.operation);
    const every: Operation[] = [];
    const composed: Composed = {
      plants,
      authenticate: steps.authenticate,
      reserve,
      operations: every,
      deliver: wrapped(sendOnce, (feature) => feature.deliver),
      isValid: wrapped(authenticator.isValid, (feature) => feature.isValid),
    };
    const apis = [
      createPlantApi(plants, engine.cursorKey, config.baseUrl ?? ''),
      ...features.flatMap((feature) => feature.apis?.(composed) ?? []),
    ].map(({ operations, ...api }) => ({
      ...api,
      operations: Object.fromEntries(Object.entries(operations).map(([id, one]) => [id, changed(one)])),
    }));
    every.push(...apis.flatMap(({ operations }) => Object.values(operations)));
    for (const feature of features) feature.onOperations?.(every);

    const outages = createOutageLog(log);
    const health = createHealth(engine.tokens, outages.probed);
    const scheme = tls === undefined ? 'http' : 'https';
    const serverOf = addressFor(config.baseUrl, scheme, config.host);
    const ownParts = features.map(({ page = {} }) => page);
    refuseDuplicates('parts of the documentation page', ownParts.flatMap(Object.keys));
    const pageParts: PageParts = Object.assign({}, ...ownParts);
    const place = {
      base: config.baseUrl ?? '',
      isOwn: config.baseUrl === undefined && isLoopback(config.host),
    };
    const pages = [
      ...apis.flatMap((api) => [...descriptionPages(serverOf, api.documents)]),
      ...health.pages,
      ...(config.noDocs ? [] : documentationPages(place, pageParts)),
    ];
    const paths = pages.map(([path]) => path);
    refuseDuplicates('pages', paths);
    router.open(apis, new Map(pages));

    for (const metric of [queueMetric(engine), ...features.flatMap((feature) => feature.metrics ?? [])]) {
      metrics?.add(metric);
    }
    const operationIds = every.map(({ id }) => id);
    const observers: Observe[] = [
      ...(metrics ? [metricsObserver(metrics, operationIds)] : []),
      ...features.flatMap((feature) => feature.observers ?? []),
      outages.observe,
      requestLog(log, { slow: config.slowRequest, all: config.accessLog ?? false }),
    ];

    let admin: Listener | undefined;
    // Closed after the service's own listener, so that the operator can watch the service stop.
    opened.defer(() => admin?.close(0));
    const maxConnections = connectionsWithinFiles(config.maxConnections);
    if (maxConnections < config.maxConnections) {
      log.warn({ maxConnections }, 'the limit of open files is too low for --max-connections; raise it (ulimit -n)');
    }
    const listener = await listen({
      ...config,
      flag: portFlag(config),
      tls,
      limits: { ...config, maxConnections },
      router,
      pipeline: createPipeline({ steps, observers, log }),
      requestIds: createRequestIds(randomBytes(6).toString('hex')),
      logClosed: closedConnectionLog(log),
    });
    opened.defer(() => {
      health.stop();
      return listener.close(config.drainTimeout);
    });
    if (config.admin !== undefined && metrics !== undefined) {
      const adminRouter = createRouter('', () => 'Try /metrics, /healthz or /readyz');
      adminRouter.open([], new Map([...metricsPages(metrics), ...health.pages]));
      const adminSteps: Steps = { ...ownSteps, route: adminRouter.route, finish: createFinisher(exposedFields, {}) };
      admin = await listen({
        ...config.admin,
        flag: '--admin',
        reusePort: false,
        tls: undefined,
        limits: ADMIN_LIMITS,
        router: adminRouter,
        pipeline: createPipeline({ steps: adminSteps, observers: [], log }),
        requestIds: createRequestIds('admin'),
      });
    }
    const firstToken = config.token === undefined ? await addFirstToken(engine, allScopes, now()) : undefined;
    // Another replica may have just added the first token.
    await authenticator.refresh();

    const ownUrl = `${scheme}://${authority(config.host, listener.address.port)}${prefix}`;
    const parts = opened.move();
    let closed: Promise<void> | undefined;
    return {
      url: config.baseUrl ?? ownUrl,
      ownUrl,
      address: listener.address,
      admin: admin?.address,
      engine,
      firstToken,
      refreshTokens: authenticator.refresh,
      // A stack that is being disposed of would not let a second call wait.
      close: () => (closed ??= parts.disposeAsync()),
    };
  } catch (error) {
    // The store could be opened but failed its first queries, for example because another process keeps it busy.
    if (!(error instanceof StoreFailure)) throw error;
    throw new StartupError(`cannot use ${engine.location}: ${error.why}`, { cause: error });
  }
}

/** The options to change if the port cannot be used. A proxy may have another port, which then stays. */
const portFlag = ({ baseUrl = '', port }: ServeConfig) =>
  URL.parse(baseUrl)?.port === String(port) ? '--port and --base-url' : '--port';

const sendOnce: Deliver = ({ message, seconds, sign, send }) => send(message, sign(message, seconds));

const queueMetric = ({ waiting }: Engine): Metric => ({
  name: 'commit_queue_writes',
  help: 'Writes that wait for their commit or are being committed',
  read: waiting,
});

async function addFirstToken(
  { tokens }: Engine,
  scopes: readonly string[],
  createdAt: number,
): Promise<string | undefined> {
  const terms = { name: 'first', store: 'default', scopes, createdAt, expiresAt: undefined };
  const { token, record } = issueToken(terms);
  return (await tokens.addFirst(record)) ? token : undefined;
}
