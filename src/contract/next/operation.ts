import type { ErrorCode, Problem, StatusOf } from '../../errors.ts';
import type { Schema, TypeOf } from './schema.ts';
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema<unknown>;
  readonly fallback?: unknown;
}
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  readonly path: string;
  readonly scopes: readonly string[] | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Schema<unknown> | undefined;
  readonly responses: { readonly [status: number]: Schema<unknown> | undefined };
}
export type Operations = Readonly<Record<string, Operation>>;
type Given<P> = P extends { required: true } | { fallback: unknown } ? P : never;
type ParametersOf<P extends Parameter> = { readonly [One in Given<P> as One['name']]: TypeOf<One['schema']> } & {
  readonly [One in Exclude<P, Given<P>> as One['name']]?: TypeOf<One['schema']>;
};
export interface Input<O extends Operation> {
  readonly parameters: ParametersOf<O['parameters'][number]>;
  readonly body: TypeOf<O['body']>;
}
type Fields = Readonly<Record<string, string>>;
type Success<O extends Operation> = {
  [S in keyof O['responses'] & number]: `${S}` extends `${4 | 5}${string}`
    ? never
    : { readonly status: S; readonly headers?: Fields } & (O['responses'][S] extends Schema<infer B>
        ? { readonly body: B }
        : { readonly body?: undefined });
}[keyof O['responses'] & number];
type DeclaredProblem<O extends Operation> = {
  [C in ErrorCode]: StatusOf<C> extends keyof O['responses'] ? Problem<C> : never;
}[ErrorCode];
export type Result<O extends Operation> = Success<O> | DeclaredProblem<O>;
export type AnyResult = { readonly status: number; readonly headers?: Fields; readonly body?: unknown } | Problem;
export type Handler<O extends Operation, Context> = (
  input: Input<O>,
  context: Context,
) => Result<O> | Promise<Result<O>>;
export type Handlers<T extends Operations, Context> = { readonly [Id in keyof T]: Handler<T[Id], Context> };
