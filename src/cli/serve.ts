/** `plantstore serve`: opens the engine, starts the service, says where it is, and drains it when it is told to stop. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type AddressInfo, isIPv6 } from 'node:net';
import { issueToken } from '../auth/issue-token.ts';
import type { TokenStore } from '../auth/token-store.ts';
import { StartupError, StoreFailure } from '../errors.ts';
import type { Tls } from '../http/server.ts';
import { openLogger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Engine } from '../stores/engine.ts';
import type { Command, Stdio } from './command.ts';
import { readConfig, UsageError } from './config.ts';
import { openEngine } from './engine.ts';
import { type ServeConfig, serveOptions } from './options.ts';
import { type JwtConfig, type Service, type ServiceOptions, startService } from './service.ts';

export const serve: Command = { name: 'serve', summary: 'Runs the service', options: serveOptions, run: runService };

/** Runs the service until it is told to stop or the engine can no longer be trusted. */
async function runService(args: readonly string[], stdio: Stdio): Promise<number> {
  const stopped = stdio.stopped();
  const config = readConfig(serveOptions, args, stdio.env);
  const tls = readTls(config);
  const jwt = readJwt(config);
  const log = await openLogger(config['log-level'], stdio.stderr);
  const admin = config.admin && { ...config.admin, metrics: await openMetrics() };
  const broken = Promise.withResolvers<void>();
  let failed = false;
  let opened = false;
  // Until the engine is open there is nothing to finish: a stop ends the process at once, also while PostgreSQL hangs.
  void stopped.then(() => opened || stdio.exit(0));
  const engine = await openEngine(config.database, {
    queueLimit: config['max-queue'],
    connections: config['database-connections'],
    bound: config['database-timeout'],
    random: Math.random,
    onFatal(cause) {
      failed = true;
      log.fatal({ err: cause }, 'the store failed: stopping, so that no write is confirmed without being stored');
      broken.resolve();
    },
    onCommit: admin?.metrics.committed,
  });
  opened = true;
  try {
    const service = await listen(engine, config, { tls, jwt, log, admin });
    try {
      const url = config['base-url'] ?? addressOf(config, tls, service);
      const token = config.token === undefined ? await firstToken(engine.tokens, service.scopes) : undefined;
      if (token !== undefined) await service.refreshTokens();
      // Whether it could be written is not checked: a service whose greeting nobody reads can still serve.
      stdio.stdout.write(greeting(url, engine.location, token));
      log.info(
        { url, database: engine.location, ...(service.admin && { admin: `http://${authority(service.admin)}` }) },
        'started',
      );
      await Promise.race([stopped, broken.promise]);
    } finally {
      await service.close(config['drain-timeout']);
    }
    log.info({}, 'stopped');
  } catch (error) {
    throw error instanceof StoreFailure ? unusable(engine, error) : error;
  } finally {
    await engine.close();
    // Not by returning: at its normal end the process would close the store's files, which syncs them once more.
    if (failed) stdio.exit(1);
  }
  return 0;
}

/** For a store that could be opened but failed the first queries, for example because another process keeps it busy. */
function unusable({ location }: Engine, failure: StoreFailure): StartupError {
  return new StartupError(`cannot use ${location}: ${failure.why}`, { cause: failure });
}

async function listen(
  engine: Engine,
  config: ServeConfig,
  parts: Pick<ServiceOptions, 'tls' | 'jwt' | 'log' | 'admin'>,
): Promise<Service> {
  try {
    return await startService(engine, {
      ...parts,
      host: config.host,
      port: config.port,
      reusePort: config['reuse-port'],
      baseUrl: config['base-url'],
      docs: !config['no-docs'],
      token: config.token,
      rateLimit: config['rate-limit'],
      limits: {
        maxBody: config['max-body'],
        maxUnread: config['max-unread'],
        maxHeader: config['max-header'],
        requestTimeout: config['request-timeout'],
        maxConnections: config['max-connections'],
      },
      now: Date.now,
      slowRequest: config['slow-request'],
      accessLog: config['access-log'],
    });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error;
    const why = error.code === 'EADDRINUSE' ? 'the port is taken' : error.code;
    throw new StartupError(`cannot listen on ${placeOf(error)}: ${why}`);
  }
}

/** The address that the system's error names, which may be the admin listener's. It leaves out a port of 0. */
function placeOf(error: object): string {
  if ('hostname' in error) return String(error.hostname);
  const address = 'address' in error ? String(error.address) : '';
  return authority({ address, port: 'port' in error ? Number(error.port) : 0 });
}

/** Address and port as a URL writes them: an IPv6 address in brackets (RFC 3986, 3.2.2). */
function authority({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  return `${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

/** Loaded only with the admin listener: without it nobody can read the metrics, and nothing is counted. */
async function openMetrics(): Promise<Metrics> {
  const { createMetrics } = await import('../observe/metrics.ts');
  return createMetrics();
}

function readJwt(config: ServeConfig): JwtConfig | undefined {
  const { 'jwt-issuer': issuer, 'jwt-audience': audience, 'jwks-url': jwksUrl, 'jwt-typ': typ } = config;
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return undefined;
  if (issuer === undefined || audience === undefined) {
    throw new UsageError('--jwt-issuer and --jwt-audience go together, and --jwks-url with both');
  }
  return { issuer, audience, jwksUrl, typ: typ === 'any' ? undefined : typ };
}

function readTls(config: ServeConfig): Tls | undefined {
  const { 'tls-cert': cert, 'tls-key': key } = config;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError('--tls-cert and --tls-key go together');
  const read = (path: string) => {
    try {
      return readFileSync(path);
    } catch {
      throw new StartupError(`cannot read ${path}`);
    }
  };
  const tls = { cert: read(cert), key: read(key) };
  // Loaded only where it is asked for.
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  try {
    createSecureContext(tls);
    // createSecureContext accepts a key of another kind than the certificate's, but then no cipher fits for any caller.
    if (!new X509Certificate(tls.cert).checkPrivateKey(createPrivateKey(tls.key))) throw new Error('another key');
  } catch {
    throw new StartupError(`${cert} and ${key} are not a certificate and its key in PEM`);
  }
  return tls;
}

function addressOf(config: ServeConfig, tls: Tls | undefined, service: Service): string {
  return `${tls === undefined ? 'http' : 'https'}://${authority({ address: config.host, port: service.address.port })}`;
}

/** A store without any token could not be used: it gets one, which is shown this once and kept only as its hash. */
async function firstToken(tokens: TokenStore, scopes: readonly string[]): Promise<string | undefined> {
  const { token, record } = issueToken({
    name: 'first',
    store: 'default',
    scopes,
    createdAt: Date.now(),
    expiresAt: undefined,
  });
  return (await tokens.addFirst(record)) ? token : undefined;
}

function greeting(url: string, location: string, token: string | undefined): string {
  const lines = ['', `  Plant Store is ready at ${url}`, `  Data: ${location}`, ''];
  if (token !== undefined) {
    const body = '{"id": 12, "name": "Aloe vera", "tag": "succulent"}';
    lines.push(
      `  Your token, shown only this once: ${token}`,
      '',
      '  Store a first plant:',
      '',
      // To zsh the brackets of an IPv6 address are a pattern, and a path may hold what every shell reads as its own.
      `curl '${url.replaceAll("'", "'\\''")}/plants' -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${body}'`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}
