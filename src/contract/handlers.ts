/** Owns the types that tie an operation's handler to its description: it can only take and return what is declared. */
import type { ErrorCode, Problem, StatusOf } from '../errors.ts';
import type { operations } from './types.gen.ts';

type OperationId = keyof operations;

type Parameters<Id extends OperationId> = operations[Id]['parameters'];
type Defined<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;

/** The parameters by their names, and the body; validated, int64 as bigint. */
interface Input<Id extends OperationId> {
  readonly parameters: Readonly<
    Defined<Parameters<Id>['path']> & Defined<Parameters<Id>['query']> & Defined<Parameters<Id>['header']>
  >;
  readonly body: operations[Id] extends { requestBody: { content: { 'application/json': infer Body } } }
    ? Readonly<Body>
    : undefined;
}

type Immutable<T> = T extends readonly (infer Item)[] ? readonly Immutable<Item>[] : Readonly<T>;
type Responses<Id extends OperationId> = operations[Id]['responses'];
type BodyOf<Response> = Response extends { content: { 'application/json': infer Body } }
  ? { readonly body: Immutable<Body> }
  : { readonly body?: undefined };

/** The declared statuses below 400. */
type Success<Id extends OperationId> = keyof {
  [Status in keyof Responses<Id> & number as `${Status}` extends `${4 | 5}${string}` ? never : Status]: never;
};

/** Header fields by name. */
type Fields = Readonly<Record<string, string>>;

/** A declared success or a declared problem; statuses of 400 and more are always problems. */
export type Output<Id extends OperationId> =
  | {
      [Status in Success<Id>]: { readonly status: Status; readonly headers?: Fields } & BodyOf<Responses<Id>[Status]>;
    }[Success<Id>]
  | DeclaredProblem<Id>;

/** A problem whose status the description declares for the operation. */
type DeclaredProblem<Id extends OperationId> = {
  [Code in ErrorCode]: StatusOf<Code> extends keyof Responses<Id> ? Problem<Code> : never;
}[ErrorCode];

export type Handler<Id extends OperationId, Context> = (
  input: Input<Id>,
  context: Context,
) => Output<Id> | Promise<Output<Id>>;

/** One handler for each operation: a missing or a superfluous one does not compile. */
export type Handlers<Context> = { readonly [Id in OperationId]: Handler<Id, Context> };
