/** Pages beside the operations that need no credential: description, health, metrics. */
import { isLoopback } from '../auth/secure-url.ts';
import { retryLater } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import { version } from '../util/version.generated.ts';
import type { ServedDocument } from './api.ts';
import { authority } from './connections/listener.ts';
import { contentPage } from './content.ts';
import type { Exchange } from './exchange.ts';
import { jsonResponse } from './response.ts';
import type { Page, Pages } from './router.ts';

/** The generated documents contain this at the beginning of a string, in place of the server's address. */
const ADDRESS = '"{base_url}';

/** A description in every form. `serverOf` returns the server's address for a client. */
export function descriptionPages(
  serverOf: (exchange: Exchange) => string,
  documents: readonly ServedDocument[],
): Pages {
  const page = ({ type, read }: ServedDocument): Page => {
    const pages = new Map<string, Page>();
    return (exchange) => {
      const server = serverOf(exchange);
      const make = () =>
        read()
          .toString()
          .replace(ADDRESS, () => JSON.stringify(server).slice(0, -1));
      const found = pages.get(server) ?? contentPage({ type, make });
      pages.set(server, found);
      return found(exchange);
    };
  };
  return new Map(documents.map((document) => [document.path, page(document)]));
}

const SAME_PLACE = ['localhost', '127.0.0.1'];

/**
 * The server's address in the description: the base URL, or a loopback address that the service listens on, or else
 * `.`, relative to the description (OpenAPI 3.1, 4.8.5). Host only chooses between names of the same address, so that
 * no request can send clients elsewhere.
 */
export function addressFor(baseUrl: string | undefined, scheme: string, host: string) {
  return ({ request }: Exchange): string => {
    if (baseUrl !== undefined) return baseUrl;
    if (!isLoopback(host)) return '.';
    const { localPort = 0 } = request.socket;
    const named = SAME_PLACE.map((name) => authority(name, localPort)).find((one) => one === request.headers.host);
    return `${scheme}://${SAME_PLACE.includes(host) && named !== undefined ? named : authority(host, localPort)}`;
  };
}

/** `/healthz`: the process responds. `/readyz`: the service can serve requests. */
export function healthPages(isReady: () => Promise<boolean>): Pages {
  const healthy: Page = () => jsonResponse(200, JSON.stringify({ status: 'ok', version }));
  const ready: Page = async (exchange) => {
    if (await isReady()) return healthy(exchange);
    throw retryLater(50300, 'The service is not ready', 1);
  };
  return new Map([
    ['/healthz', healthy],
    ['/readyz', ready],
  ]);
}

export function metricsPages(metrics: Metrics): Pages {
  const page: Page = async () => ({
    status: 200,
    headers: { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' },
    body: await metrics.text(),
  });
  return new Map([['/metrics', page]]);
}

/**
 * Concurrent probes share one query: they need no credential, and must not use up the store's connections. `query`
 * rejects if the store cannot serve. `onProbe` gets the result of each query.
 */
export function shareReadiness(
  query: () => Promise<unknown>,
  onProbe: (failure?: unknown) => void,
): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined;
  const ask = async () => {
    try {
      await query();
      onProbe();
      return true;
    } catch (error) {
      onProbe(error);
      return false;
    } finally {
      asking = undefined;
    }
  };
  return () => (asking ??= ask());
}
