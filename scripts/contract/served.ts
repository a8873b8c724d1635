/** Makes the served forms of a description. They leave the address of the server to http/pages.ts. */
import { parse, stringify } from 'yaml';
import { toOpenApi30 } from './openapi-3.0.ts';

declare global {
  interface JSON {
    /** Makes JSON.stringify write this text (ECMAScript 2026). TypeScript 5.9 has no type for it. */
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

/** `document` has integers as bigint. */
export function servedForms(document: Description): Forms {
  const json = JSON.stringify(withoutVariables(document), exact, 2);
  // JSON is also YAML. The YAML parser keeps every integer exact.
  const yaml = stringify(parse(json, { intAsBigInt: true }), { aliasDuplicateObjects: false, lineWidth: 120 });
  return { json, yaml };
}

/** Returns the description as JSON in OpenAPI 3.0.3, for tools that cannot read 3.1. */
export function servedForm30(document: Description): string {
  return JSON.stringify(toOpenApi30(withoutVariables(document)), exact, 2);
}

interface Workflows {
  readonly sourceDescriptions: readonly { readonly url: string }[];
}

/** Returns the workflows as YAML. Their description is at the address of the server, so that they work as a copy. */
export function servedWorkflows(document: Workflows): string {
  const sourceDescriptions = document.sourceDescriptions.map((one) => ({ ...one, url: `{base_url}/${one.url}` }));
  return stringify({ ...document, sourceDescriptions }, { lineWidth: 120 });
}

/** Removes the variables of the server, since some tools use the text `{base_url}` as the address. */
function withoutVariables(document: Description) {
  return { ...document, servers: document.servers.map(({ variables: _, ...server }) => server) };
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}
