/** What is served beside the operations and needs no credential: description, health, metrics. */
import { isLoopback } from '../auth/secure-url.ts';
import { retryLater } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import { version } from '../version.generated.ts';
import type { ServedDocument } from './api.ts';
import { contentPage } from './content.ts';
import type { Exchange } from './exchange.ts';
import { authority } from './listener.ts';
import { jsonResponse } from './response.ts';
import type { Page, Pages } from './router.ts';

/** How the generator writes the address of the server, in every form. */
const ADDRESS = '"{base_url}"';

/** A description in every form; `serverOf` returns the address that the description names to a client. */
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
          .replace(ADDRESS, () => JSON.stringify(server));
      const found = pages.get(server) ?? contentPage({ type, make });
      pages.set(server, found);
      return found(exchange);
    };
  };
  return new Map(documents.map((document) => [document.path, page(document)]));
}

const SAME_PLACE = ['localhost', '127.0.0.1'];

/**
 * The address that the description names: the base URL; without one that of this machine, where only it can reach the
 * service; else `.`, which is resolved against the description's own address (OpenAPI 3.1, 4.8.5). Of a request nothing
 * counts but a Host that is another name of the same address: it must not send clients elsewhere.
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

/** `/healthz`: the process responds, and which version it is. `/readyz`: it can serve. */
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
 * All who ask at the same time share one query: probes need no credential, and strangers must not keep the store's
 * connections from clients. `query` rejects where the store cannot serve; why is logged with the requests that it fails.
 */
export function shareReadiness(query: () => Promise<unknown>): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined;
  const ask = async () => {
    try {
      await query();
      return true;
    } catch {
      return false;
    } finally {
      asking = undefined;
    }
  };
  return () => (asking ??= ask());
}
