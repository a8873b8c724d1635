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
}

/** `document` has its integers as bigint. */
export function servedForms(document: Description): Forms {
  const json = JSON.stringify(withoutVariables(document), exact, 2);
  // JSON is YAML: reading it as such keeps every integer exact.
  const yaml = stringify(parse(json, { intAsBigInt: true }), { aliasDuplicateObjects: false, lineWidth: 120 });
  return { json, yaml };
}

/** The description as JSON in OpenAPI 3.0.3, for tools that cannot read 3.1. */
export function servedForm30(document: Description): string {
  return JSON.stringify(toOpenApi30(withoutVariables(document)), exact, 2);
}

/**
 * The description without the variables of its server: some tools use `{base_url}` itself as the address, whatever its
 * default is.
 */
function withoutVariables(document: Description) {
  return { ...document, servers: document.servers.map(({ variables: _, ...server }) => server) };
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}
