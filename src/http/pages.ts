/** Owns the addresses beside the operations that need no credential: the description and the health check. */
import { withBaseUrl } from '../contract/document.ts';
import { Problem } from '../errors.ts';
import { contentPage, type Page, type Pages } from './page.ts';
import { problemReply } from './reply.ts';

/** The description as it is served, which says where the service is. */
export function descriptionPages(description: string, base: string): Pages {
  const json = withBaseUrl(description, base);
  return new Map([
    ['/openapi.json', contentPage({ type: 'application/json', make: () => json })],
    ['/openapi.yaml', contentPage({ type: 'application/yaml', make: () => toYaml(json) })],
  ]);
}

/** Alive: the process answers. */
export const healthPage: Page = {
  get: () => ({
    status: 200,
    headers: ['Content-Type', 'application/json', 'Cache-Control', 'no-store'],
    body: '{"status":"ok"}',
  }),
};

/** Ready: the store answers, and the service is not on its way out. */
export function readyPage(isReady: () => Promise<boolean>): Page {
  return {
    async get(request) {
      if (await isReady()) return healthPage.get(request);
      return problemReply(new Problem(50300, 'The service is not ready; retry after 1 s.', { 'Retry-After': '1' }));
    },
  };
}

/** YAML is asked for rarely, and its library takes longer to load than the whole service to start. */
async function toYaml(json: string): Promise<string> {
  const { parse, stringify } = await import('yaml');
  // JSON is YAML: reading it as such keeps every integer exact.
  return stringify(parse(json, { intAsBigInt: true }), { aliasDuplicateObjects: false, lineWidth: 120 });
}
