/** An API as a value: the operations of a description, their handlers, and its documents. */
import type { Handlers, Operation, Operations } from '../contract/operation.ts';
import type { AnyHandler, Authenticated, Endpoint, Matched } from './exchange.ts';

export interface Api extends Pick<Endpoint, 'contextOf'> {
  readonly operations: Operations;
  /** The handler of each operation, by operationId. */
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** The file of each served form of the description, relative to src, by the path at which it is served. */
  readonly documents: Readonly<Record<string, string>>;
}

interface ApiParts<Table extends Operations, Context> extends Pick<Api, 'documents'> {
  readonly operations: Table;
  /** One handler for each operation. A missing or extra handler does not compile. */
  readonly handlers: Handlers<Table, Context>;
  /** Returns what the handlers get for a request. Its credential is there if every operation of the table needs one. */
  contextOf(exchange: Admitted<Table[keyof Table]>): Context;
}

/** The exchange of a request that passed every check of its operation. */
type Admitted<O extends Operation> = O['scopes'] extends readonly string[] ? Authenticated : Matched;

export function createApi<Table extends Operations, Context>(parts: ApiParts<Table, Context>): Api {
  return { ...parts, handlers: parts.handlers as never };
}
