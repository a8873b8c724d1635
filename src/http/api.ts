/** An API as a value: the operations of one description, what performs them, and its documents. */
import type { Handlers, Operations } from '../contract/operation.ts';
import type { Exchange, Perform } from './exchange.ts';

/** A form in which a description is served. */
export interface ServedDocument {
  readonly path: string;
  /** The media type. */
  readonly type: string;
  /** The document, with `{base_url}` in the place of the server's address. Called for the first request. */
  readonly read: () => Buffer;
}

export interface Api {
  readonly operations: Operations;
  /** What performs each operation, by operationId. */
  readonly performers: Readonly<Record<string, Perform>>;
  readonly documents: readonly ServedDocument[];
}

interface ApiParts<Table extends Operations, Context> {
  readonly operations: Table;
  /** One handler for each operation. A missing or a superfluous one does not compile. */
  readonly handlers: Handlers<Table, Context>;
  /** What the handlers get for a request. It throws where the request has not passed the checks that it relies on. */
  readonly contextOf: (exchange: Exchange) => Context;
  readonly documents: readonly ServedDocument[];
}

export function createApi<Table extends Operations, Context>(parts: ApiParts<Table, Context>): Api {
  const { operations, handlers, contextOf, documents } = parts;
  const performers = Object.entries<AnyHandler<Context>>(handlers as never).map(([id, handler]) => {
    const perform: Perform = async (exchange, input) => handler(input, contextOf(exchange));
    return [id, perform] as const;
  });
  return { operations, performers: Object.fromEntries(performers), documents };
}

/** A handler without its types: `readInput` has checked the input by the operation's schemas. */
type AnyHandler<Context> = (input: unknown, context: Context) => ReturnType<Perform>;
