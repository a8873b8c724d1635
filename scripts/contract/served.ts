/** Makes the forms of a description in JSON. They leave the address of the server to http/pages.ts. */
import { toOpenApi30 } from './openapi-3.0.ts';

interface Description {
  readonly servers: readonly { readonly variables: object }[];
}

/** `document` has integers as bigint. */
export function servedForm(document: Description): string {
  return jsonLines(withoutVariables(document));
}

/** Returns the description as JSON in OpenAPI 3.0.3, for tools that cannot read 3.1. */
export function servedForm30(document: Description): string {
  return jsonLines(toOpenApi30(withoutVariables(document)));
}

/** Removes the variables of the server, since some tools use the text `{base_url}` as the address. */
function withoutVariables(document: Description) {
  return { ...document, servers: document.servers.map(({ variables: _, ...server }) => server) };
}

/** Members that have a line for each operation, webhook or component. */
const LINED = ['paths', 'webhooks', 'components'];

/** A change in Git is as short as the change of the description. */
function jsonLines(document: object): string {
  const members = Object.entries(document).map(([name, value]) => {
    const depth = LINED.includes(name) ? 2 : 0;
    return `${JSON.stringify(name)}: ${nested(value, depth, '  ')}`;
  });
  return `{\n  ${members.join(',\n  ')}\n}\n`;
}

/** `depth`: how many levels of objects have a line for each member. */
function nested(value: unknown, depth: number, indent: string): string {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) {
    // A line feed within a string is escaped, so each that is left is between two members.
    return JSON.stringify(value, exact, 1).replaceAll(/\n */g, ' ');
  }
  const inner = `${indent}  `;
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${nested(member, depth - 1, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}
