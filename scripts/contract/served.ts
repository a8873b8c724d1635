/** The description as it is served without a base URL, in both of its forms; http/pages.ts puts a base URL in. */
import { parse, stringify } from 'yaml';

declare global {
  interface JSON {
    /** Text that JSON.stringify writes as it is (ECMAScript 2026); TypeScript 5.9 does not know it yet. */
    rawJSON(text: string): unknown;
  }
}

interface Description {
  readonly servers: readonly { readonly variables: object }[];
}

/**
 * `document`: its integers as bigint. The default of the server's variable becomes `.`, a relative reference, resolved
 * against the document's own address (OpenAPI 3.1, 4.8.5): in place of the variable it would leave some tools without any
 * address. Not `/`, which is another place behind a proxy that removes a prefix, and which tools that concatenate make
 * `//plants` of.
 */
export function servedForms(document: Description): { readonly json: string; readonly yaml: string } {
  const relative = { base_url: { default: '.' } };
  const servers = document.servers.map(({ variables: _, ...server }) => ({ ...server, variables: relative }));
  const served = { ...document, servers };
  const json = JSON.stringify(served, exact, 2);
  // JSON is YAML: reading it as such keeps every integer exact.
  const yaml = stringify(parse(json, { intAsBigInt: true }), { aliasDuplicateObjects: false, lineWidth: 120 });
  return { json, yaml };
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}
