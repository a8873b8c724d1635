/** Types that restrict a handler to what the description declares for its operation. */
import type { ErrorCode, Problem, StatusOf } from '../errors.ts';
import type { ParameterSchema, Schema, TypeOf } from './schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: ParameterSchema<unknown>;
  /** The default of the schema, which the handler gets if the request has no value. */
  readonly fallback?: unknown;
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  readonly path: string;
  /** The scopes that the credential needs. Undefined if `security` is empty: the operation needs no credential. */
  readonly scopes: readonly string[] | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Schema<unknown> | undefined;
  /** Whether a request without a body means the same as `{}`. */
  readonly isBodyOptional?: boolean;
  /** The schema of each declared status. Undefined for a status without a body. */
  readonly responses: { readonly [status: number]: Schema<unknown> | undefined };
  /** The media types other than application/json, by status. Absent if there are none. */
  readonly otherTypes?: { readonly [status: number]: readonly string[] };
}

/** A body that is sent while it is made. Must end on `signal`: the connection has closed, or the service stops. */
export type BodyStream = (signal: AbortSignal) => AsyncIterable<string | Uint8Array>;

/** The operations of a description by operationId, as in its generated file. */
export type Operations = Readonly<Record<string, Operation>>;

type AlwaysThere = { readonly required: true } | { readonly fallback: unknown };
type ParametersOf<P extends Parameter> = {
  readonly [One in Extract<P, AlwaysThere> as One['name']]: TypeOf<One['schema']>;
} & { readonly [One in Exclude<P, AlwaysThere> as One['name']]?: TypeOf<One['schema']> };

/** A handler's input. The values are valid, each int64 is a bigint, and defaults are filled in. */
export interface Input<O extends Operation> {
  readonly parameters: ParametersOf<O['parameters'][number]>;
  readonly body: TypeOf<O['body']>;
}

type Fields = Readonly<Record<string, string>>;
type OtherTypes<O extends Operation> = O extends { readonly otherTypes: infer Types } ? Types : unknown;

/**
 * A declared status below 400 with its body in JSON, or without a body. A status with other media types and no schema,
 * as in test/contract/operation.test.ts, has only bodies of these types.
 */
type Success<O extends Operation> = {
  [Status in keyof O['responses'] & number]: `${Status}` extends `${4 | 5}${string}`
    ? never
    : O['responses'][Status] extends Schema<infer T>
      ? { readonly status: Status; readonly headers?: Fields; readonly type?: never; readonly body: T }
      : Status extends keyof OtherTypes<O>
        ? never
        : { readonly status: Status; readonly headers?: Fields; readonly type?: never; readonly body?: undefined };
}[keyof O['responses'] & number];

/** A declared status with a body of another media type. The handler writes such a body itself. */
type OtherSuccess<O extends Operation> = {
  [Status in keyof OtherTypes<O> & number]: OtherTypes<O>[Status] extends readonly (infer Type)[]
    ? { readonly status: Status; readonly headers?: Fields; readonly type: Type; readonly body: string | BodyStream }
    : never;
}[keyof OtherTypes<O> & number];

/** A Problem whose status the description declares for the operation. */
type DeclaredProblem<O extends Operation> = {
  [Code in ErrorCode]: StatusOf<Code> extends keyof O['responses'] ? Problem<Code> : never;
}[ErrorCode];

export type Result<O extends Operation> = Success<O> | OtherSuccess<O> | DeclaredProblem<O>;
export type AnyResult = AnySuccess | Problem;

export interface AnySuccess {
  readonly status: number;
  readonly headers?: Fields;
  /** The media type; application/json by default. */
  readonly type?: string;
  readonly body?: unknown;
}

export type Handler<O extends Operation, Context> = (
  input: Input<O>,
  context: Context,
) => Result<O> | Promise<Result<O>>;

/** One handler for each operation of a table. A missing or additional handler does not compile. */
export type Handlers<Table extends Operations, Context> = {
  readonly [Id in keyof Table]: Handler<Table[Id], Context>;
};
