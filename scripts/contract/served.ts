/** The description as it is served: its address is left open, for http/pages.ts to put in. */
import { parse, stringify } from 'yaml';
import { toOpenApi30 } from './openapi-3.0.ts';

declare global {
  interface JSON {
    /** Text that JSON.stringify writes as it is (ECMAScript 2026); TypeScript 5.9 does not know it yet. */
    rawJSON(text: string): unknown;
  }
}

interface Description {
  readonly servers: readonly { readonly variables: object }[];
}

interface Forms {
  readonly json: string;
  readonly yaml: string;
  /** As JSON in OpenAPI 3.0.3, for tools that stop there. */
  readonly json30: string;
}

/**
 * `document`: its integers as bigint. The server's variable goes: some tools take `{base_url}` itself for the address,
 * whatever its default.
 */
export function servedForms(document: Description): Forms {
  const servers = document.servers.map(({ variables: _, ...server }) => server);
  const served = { ...document, servers };
  const json = JSON.stringify(served, exact, 2);
  // JSON is YAML: reading it as such keeps every integer exact.
  const yaml = stringify(parse(json, { intAsBigInt: true }), { aliasDuplicateObjects: false, lineWidth: 120 });
  return { json, yaml, json30: JSON.stringify(toOpenApi30(served), exact, 2) };
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}
