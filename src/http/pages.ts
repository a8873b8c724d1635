/** What is served beside the operations and needs no credential: description, health, metrics. */
import { describeAt } from '../contract/next/description.ts';
import { Problem } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import { contentPage } from './content.ts';
import { jsonResponse } from './response.ts';
import type { Page, Pages } from './router.ts';

/** The description in both forms; it says where the service is. */
export function descriptionPages(baseUrl: string | undefined): Pages {
  return new Map([
    ['/openapi.json', contentPage({ type: 'application/json', make: () => describeAt('json', baseUrl) })],
    ['/openapi.yaml', contentPage({ type: 'application/yaml', make: () => describeAt('yaml', baseUrl) })],
  ]);
}

/** `/healthz`: the process responds. `/readyz`: it can serve. */
export function healthPages(isReady: () => Promise<boolean>): Pages {
  const healthy: Page = () => jsonResponse(200, '{"status":"ok"}');
  const ready: Page = async (exchange) => {
    if (await isReady()) return healthy(exchange);
    throw new Problem(50300, 'The service is not ready; retry after 1 s.', { 'Retry-After': '1' });
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
  return () => {
    asking ??= query()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
}
