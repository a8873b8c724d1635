/** Owns the addresses beside the operations that need no credential: the description and the health check. */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { withBaseUrl } from '../contract/document.ts';
import type { Reply } from './reply.ts';

export interface Page {
  get(request: IncomingMessage): Reply | Promise<Reply>;
}

/** By path, below the base URL's prefix. */
export type Pages = ReadonlyMap<string, Page>;

/**
 * The description as it is served, which says where the service is. Without a base URL that is where the description
 * was read from: `.` is a relative reference, resolved against the document's own address (OpenAPI 3.1, 4.8.5).
 */
export function descriptionPages(description: string, base: string): Pages {
  const json = withBaseUrl(description, base === '' ? '.' : base);
  return new Map([
    ['/openapi.json', cached('application/json', () => json)],
    ['/openapi.yaml', cached('application/yaml', () => toYaml(json))],
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

/** A text made when it is first asked for, and revalidated by its hash. */
export function cached(type: string, make: () => string | Promise<string>): Page {
  let made: Promise<{ body: string; tag: string }> | undefined;
  const load = async () => {
    const body = await make();
    return { body, tag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
  };
  return {
    async get(request) {
      made ??= load();
      const { body, tag } = await made;
      const headers = ['Content-Type', type, 'Cache-Control', 'private, no-cache', 'ETag', tag];
      const seen = request.headers['if-none-match']
        ?.split(',')
        .some((other) => other.trim().replace(/^W\//, '') === tag);
      return seen === true
        ? { status: 304, headers: headers.slice(2), body: undefined }
        : { status: 200, headers, body };
    },
  };
}

/** YAML is asked for rarely, and its library takes longer to load than the whole service to start. */
async function toYaml(json: string): Promise<string> {
  const { parse, stringify } = await import('yaml');
  // JSON is YAML: reading it as such keeps every integer exact.
  return stringify(parse(json, { intAsBigInt: true }), { aliasDuplicateObjects: false, lineWidth: 120 });
}
