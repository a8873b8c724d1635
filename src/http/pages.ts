/** What is served beside the operations and needs no credential: description, health, metrics. */
import { readAsset } from '../assets.ts';
import { Problem } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import { contentPage } from './content.ts';
import { jsonResponse } from './response.ts';
import type { Page, Pages } from './router.ts';

/** The description in both forms; it says where the service is. */
export function descriptionPages(baseUrl: string | undefined): Pages {
  const page = (form: 'json' | 'yaml') => {
    const make = () => describeAt(form, readAsset(`contract/openapi.served.${form}`).toString(), baseUrl);
    return contentPage({ type: `application/${form}`, make });
  };
  return new Map([
    ['/openapi.json', page('json')],
    ['/openapi.yaml', page('yaml')],
  ]);
}

/** How the generator writes a server: its address, and the variable that stands for it. */
const SERVER = {
  json: {
    url: '"url": "{base_url}"',
    variables: ',\n      "variables": {\n        "base_url": {\n          "default": "."\n        }\n      }',
  },
  yaml: { url: 'url: "{base_url}"', variables: '\n    variables:\n      base_url:\n        default: .' },
};

/**
 * The text of a description with the base URL in place of the variable, since some tools send requests to `{base_url}`
 * itself, whatever its default. Without one the variable stays and leads to the description's own address.
 */
export function describeAt(form: 'json' | 'yaml', text: string, baseUrl: string | undefined): string {
  if (baseUrl === undefined) return text;
  const { url, variables } = SERVER[form];
  // In YAML a plain text does not end in a colon.
  const isPlain = form === 'yaml' && !baseUrl.endsWith(':');
  const address = url.replace('"{base_url}"', () => (isPlain ? baseUrl : JSON.stringify(baseUrl)));
  return text.replace(url, () => address).replace(variables, '');
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
