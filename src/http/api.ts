/** An API as a value: the operations of a description, the functions that perform them, and its documents. */
import type { Handlers, Operations } from '../contract/operation.ts';
import type { Exchange, Perform } from './exchange.ts';

/** A form in which a description is served. */
export interface ServedDocument {
  readonly path: string;
  readonly type: string;
  /** Returns the document, with `{base_url}` in place of the server's address. Called at the first request. */
  readonly read: () => string;
}

export interface Api {
  readonly operations: Operations;
  /** The function that performs each operation, by operationId. */
  readonly performers: Readonly<Record<string, Perform>>;
  readonly documents: readonly ServedDocument[];
}

interface ApiParts<Table extends Operations, Context> {
  readonly operations: Table;
  /** One handler for each operation. A missing or extra handler does not compile. */
  readonly handlers: Handlers<Table, Context>;
  /** Returns what the handlers get for a request. Throws if a required check was skipped. */
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
