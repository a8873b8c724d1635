/** Owns the compiled operation: what the pipeline needs to know of an operationId, read from the description. */
import {
  type Description,
  locate,
  METHODS,
  type Method,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type ResponseObject,
  refusal,
  resolve,
  token,
} from './document.ts';
import { fallbackOf } from './exact.ts';
import { requireImplemented } from './implemented.ts';
import { integerOfParameter } from './integer.ts';
import type { ParsedJson } from './json.ts';
import { compileSchemas, type Reading, type Schemas } from './schema.ts';
import { compileSerialiser, type Serialise } from './serialise.ts';

interface Parameter {
  readonly name: string;
  readonly in: ParameterObject['in'];
  readonly required: boolean;
  /** The value when the request does not name the parameter. */
  readonly fallback: unknown;
  /** Text to value (int64 as bigint), or what would be right. */
  read(text: string): { readonly value: unknown } | { readonly fault: string };
}

export interface Operation {
  readonly id: string;
  /** In upper case, as HTTP writes it. */
  readonly method: string;
  readonly path: string;
  /** The scopes that the credential needs; undefined when the operation needs no credential. */
  readonly scopes: readonly string[] | undefined;
  readonly parameters: readonly Parameter[];
  /** Reads the body, where the operation takes one. */
  readonly body: ((json: ParsedJson) => Reading) | undefined;
  /** The declared statuses, each with its body's serialiser where it has a body. */
  readonly responses: ReadonlyMap<number, Serialise | undefined>;
}

/** Every operation of the description, compiled. Throws when it asks for something that nobody here implements. */
export function compileOperations(description: Description): Operation[] {
  requireImplemented(description);
  const schemas = compileSchemas(description);
  return Object.entries(description.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const place = `#/paths/${token(path)}`;
      const at = `${place}/${method}`;
      const body = operation.requestBody && locate(description, operation.requestBody, `${at}/requestBody`);
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          scopes: scopesOf(description, operation, at),
          parameters: parametersOf(description, schemas, item, place, method),
          body: body && schemas.reader(`${body.at}/content/application~1json/schema`),
          responses: responsesOf(description, operation),
        },
      ];
    }),
  );
}

/** Every scope that some operation needs, in order. */
export function everyScope(operations: readonly Operation[]): readonly string[] {
  return [...new Set(operations.flatMap(({ scopes }) => scopes ?? []))].sort();
}

/** OpenAPI 3.1, 4.8.30: an operation's own requirement overrides the global one. */
function scopesOf(description: Description, operation: OperationObject, at: string): readonly string[] | undefined {
  const requirements = operation.security ?? description.security ?? [];
  if (requirements.length === 0) return undefined;
  const [[scheme = '', scopes] = [], ...others] = Object.values(requirements).flatMap((one) =>
    Object.entries(one ?? {}),
  );
  const declared = description.components?.securitySchemes?.[scheme];
  const isOne = requirements.length === 1 && others.length === 0 && Array.isArray(scopes);
  if (!isOne || declared?.type !== 'http' || declared.scheme !== 'bearer') {
    throw refusal(at, 'the credential must be of one http scheme, bearer, with a list of scopes');
  }
  return scopes;
}

function parametersOf(
  description: Description,
  schemas: Schemas,
  item: PathItem,
  path: string,
  method: Method,
): Parameter[] {
  const lists = [
    [item.parameters, `${path}/parameters`],
    [item[method]?.parameters, `${path}/${method}/parameters`],
  ] as const;
  const found = lists.flatMap(([list = [], place]) =>
    list.map((node, i) => {
      const parameter = locate(description, node, `${place}/${i}`);
      return compileParameter(schemas, parameter.node as ParameterObject, `${parameter.at}/schema`);
    }),
  );
  // OpenAPI 3.1, 4.8.10: an operation's own parameter overrides one of the path with its name and place.
  return [...new Map(found.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
}

function compileParameter(schemas: Schemas, parameter: ParameterObject, at: string): Parameter {
  const schema = schemas.at(at);
  const check = schemas.checker(parameter.name, at);
  const value = (text: string): unknown => {
    if (schema.type !== 'integer') return text;
    const integer = integerOfParameter(text);
    return integer !== undefined && schema.format !== 'int64' ? Number(integer) : integer;
  };
  const fallback = fallbackOf(schema);
  const unfit = fallback === undefined ? undefined : check(fallback);
  if (unfit !== undefined) throw refusal(at, `by its default ${unfit}`);
  return {
    name: parameter.name,
    in: parameter.in,
    required: parameter.required ?? false,
    fallback,
    read(text) {
      const read = value(text);
      const fault = check(read);
      if (fault === undefined) return { value: read };
      return { fault: schema.type === 'integer' ? `${fault} in plain decimal notation` : fault };
    },
  };
}

function responsesOf(description: Description, operation: OperationObject): Operation['responses'] {
  return new Map(
    Object.entries(operation.responses).map(([status, node]) => {
      const schema = resolve<ResponseObject>(description, node).content?.['application/json']?.schema;
      return [Number(status), schema && compileSerialiser(description, schema)];
    }),
  );
}
