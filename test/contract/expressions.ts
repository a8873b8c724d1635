/** Evaluates the runtime expressions of Link Objects (OpenAPI 3.1, 4.8.20.4). */
import type { ClientResponse } from '../harness/client.ts';

/** A request: its parameters by name, and its body as a value. */
export interface Sent {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly header: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Returns the text that an expression refers to, or undefined if there is none. */
export function evaluate(expression: string, sent: Sent, response: ClientResponse): string | undefined {
  const [, side, place, rest = ''] =
    /^\$(request|response)\.(path|query|header|body)(?:[.#](.*))?$/.exec(expression) ?? [];
  if (side === undefined) throw new Error(`${expression} is no runtime expression`);
  if (place === 'body') return textAt(side === 'request' ? sent.body : response.json(), rest);
  if (side === 'response') {
    if (place !== 'header') throw new Error(`a response has no ${place}: ${expression}`);
    // Field names are case-insensitive (RFC 9110, 5.1).
    return response.headers[rest.toLowerCase()]?.toString();
  }
  return sent[place as 'path' | 'query' | 'header'][rest];
}

function textAt(value: unknown, pointer: string): string | undefined {
  const tokens = pointer.split('/').slice(1);
  const found = tokens.reduce<unknown>((node, token) => (node as Record<string, unknown> | undefined)?.[token], value);
  return found === undefined ? undefined : String(found);
}
