/** Pages beside the operations that need no credential: description, health, metrics. */
import { extname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { isLoopback } from '../auth/secure-url.ts';
import type { TokenStore } from '../auth/token.ts';
import { retryLater } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import { readAsset } from '../util/assets.ts';
import { version } from '../util/version.generated.ts';
import type { Api } from './api.ts';
import type { Exchange } from './exchange.ts';
import { jsonResponse } from './response.ts';
import type { Page, Pages } from './router.ts';
import { staticPage } from './static-page.ts';

/** The descriptions contain this at the beginning of a string, in place of the server's address. */
const ADDRESS = '"{base_url}';

/** The variables of the server in YAML. Some tools ignore them and use the text `{base_url}` as the address. */
const VARIABLES = /^( {2}- url: .*\n {4}description: .*\n) {4}variables:\n(?: {6}.*\n)+/m;
/** The description that workflows are about. With its full address, a copy of the workflows finds it too. */
const SOURCE = /^( {4}url: )(openapi\.yaml)$/m;

/** The most addresses for which a document is kept. Behind tunnels, clients of one service use several ports. */
const ADDRESSES = 8;

/** A description in every form. `serverOf` returns the server's address for a client, if it is known. */
export function descriptionPages(
  serverOf: (exchange: Exchange) => string | undefined,
  documents: Api['documents'],
): Pages {
  const page = (path: string, file: string): Page => {
    const type = `application/${extname(path).slice(1)}`;
    const read = () => readAsset(file).toString().replace(VARIABLES, '$1').replace(SOURCE, '$1"{base_url}/$2"');
    const makeFor = (server: string) => read().replace(ADDRESS, () => JSON.stringify(server).slice(0, -1));
    const pages = new LRUCache<string, Page>({
      max: ADDRESSES,
      memoMethod: (server) => staticPage({ type, make: () => makeFor(server) }),
    });
    return (exchange) => pages.memo(serverOf(exchange) ?? rootFrom(path))(exchange);
  };
  return new Map(Object.entries(documents).map(([path, file]) => [path, page(path, file)]));
}

/** The root of the service, relative to a document: OpenAPI 3.1, 4.8.5. Example: `..` from `/events/openapi.json`. */
function rootFrom(path: string): string {
  return path.split('/').slice(2).fill('..').join('/') || '.';
}

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?$/;

/**
 * The server's address in the description: the base URL. Without one, the Host of the request if the service listens
 * on a loopback address and Host is one too. Its port differs behind a tunnel. No other Host and no other header field
 * counts, so that no request can send clients to another machine.
 */
export function addressFor(baseUrl: string | undefined, scheme: string, listeningOn: string) {
  return ({ request }: Exchange): string | undefined => {
    if (baseUrl !== undefined || !isLoopback(listeningOn)) return baseUrl;
    const host = (request.headers.host ?? '').toLowerCase();
    const [isNamed, port = '0'] = LOOPBACK_HOST.exec(host) ?? [];
    return isNamed === undefined || Number(port) > 65_535 ? undefined : `${scheme}://${host}`;
  };
}

export interface Health {
  /** `/healthz`: the process responds. `/readyz`: the service can serve requests. */
  readonly pages: Pages;
  /** From now on the service is not ready. */
  stop(): void;
}

/**
 * Concurrent probes share one query of the store: they need no credential, and must not use up the store's connections.
 * `onProbe` gets the failure of each query; undefined if there was none.
 */
export function createHealth(tokens: Pick<TokenStore, 'revision'>, onProbe: (failure?: unknown) => void): Health {
  let isStopping = false;
  let asking: Promise<boolean> | undefined;
  const ask = async () => {
    try {
      await tokens.revision();
      onProbe();
      return true;
    } catch (error) {
      onProbe(error);
      return false;
    } finally {
      asking = undefined;
    }
  };
  const isStoreReady = () => (asking ??= ask());
  const healthy: Page = () => jsonResponse(200, JSON.stringify({ status: 'ok', version }));
  const ready: Page = async (exchange) => {
    if (!isStopping && (await isStoreReady())) return healthy(exchange);
    throw retryLater(50300, 'The service is not ready', 1);
  };
  return {
    pages: new Map([
      ['/healthz', healthy],
      ['/readyz', ready],
    ]),
    stop() {
      isStopping = true;
    },
  };
}

export function metricsPages(metrics: Metrics): Pages {
  const page: Page = async () => ({
    status: 200,
    headers: { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' },
    body: await metrics.text(),
  });
  return new Map([['/metrics', page]]);
}
