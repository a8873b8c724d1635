/** Owns the compiled operation: what the pipeline needs to know of an operationId, read from the description. */
import { conditionFault } from './condition.ts';
import {
  type Description,
  METHODS,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type ResponseObject,
  resolve,
  type Schema,
} from './document.ts';
import { fallbackOf } from './exact.ts';
import { integerOfParameter } from './integer.ts';
import type { ParsedJson } from './json.ts';
import { compileSchemas, type Reading, type Schemas } from './schema.ts';
import { compileSerialiser, type Serialise } from './serialise.ts';

export interface Parameter {
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
  const schemas = compileSchemas(description);
  return Object.entries(description.paths).flatMap(([path, item]) => {
    const unknown = Object.keys(item).find((key) => !PATH_ITEM.has(key));
    if (unknown !== undefined) throw new Error(`the path ${path} has what nobody here implements: ${unknown}`);
    return METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      if (operation.requestBody !== undefined && operation.requestBody.required !== true) {
        throw new Error(`${operation.operationId} takes requests without a body, which nobody here implements`);
      }
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          scopes: scopesOf(description, operation),
          parameters: parametersOf(description, schemas, path, item, method),
          body:
            operation.requestBody &&
            schemas.reader(pointer('paths', path, method, 'requestBody', 'content', 'application/json', 'schema')),
          responses: responsesOf(description, operation),
        },
      ];
    });
  });
}

const PATH_ITEM: ReadonlySet<string> = new Set([...METHODS, 'parameters', 'summary', 'description']);
const PLACES: ReadonlySet<string> = new Set<ParameterObject['in']>(['path', 'query', 'header']);

/** A JSON pointer as a URI fragment (RFC 6901, section 6). */
function pointer(...tokens: (string | number)[]): string {
  return `#/${tokens.map((token) => encodeURIComponent(String(token).replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
}

/** OpenAPI 3.1, 4.8.30: an operation's own requirement overrides the global one. */
function scopesOf(description: Description, operation: OperationObject): readonly string[] | undefined {
  const requirements = operation.security ?? description.security ?? [];
  if (requirements.length === 0) return undefined;
  const [requirement, ...others] = requirements;
  const [scheme, ...more] = Object.keys(requirement ?? {});
  const declared = scheme === undefined ? undefined : description.components.securitySchemes[scheme];
  if (others.length > 0 || more.length > 0 || declared?.type !== 'http' || declared.scheme !== 'bearer') {
    throw new Error(`${operation.operationId} asks for a credential that is not one bearer scheme`);
  }
  return requirement?.[scheme as string] ?? [];
}

function parametersOf(
  description: Description,
  schemas: Schemas,
  path: string,
  item: PathItem,
  method: keyof PathItem,
): Parameter[] {
  const own = (item[method] as OperationObject).parameters ?? [];
  const shared = item.parameters ?? [];
  const found = [
    ...shared.map((node, i) => ({ node, at: pointer('paths', path, 'parameters', i) })),
    ...own.map((node, i) => ({ node, at: pointer('paths', path, method, 'parameters', i) })),
  ].map(({ node, at }) => {
    const parameter = resolve<ParameterObject>(description, node);
    const base = '$ref' in node ? node.$ref : at;
    return compileParameter(schemas, parameter, `${base}/schema`);
  });
  // OpenAPI 3.1, 4.8.10: an operation's own parameter overrides one of the path with its name and place.
  return [...new Map(found.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
}

function compileParameter(schemas: Schemas, parameter: ParameterObject, at: string): Parameter {
  const schema = schemas.at(at);
  if (!PLACES.has(parameter.in) || (schema.type !== 'string' && schema.type !== 'integer')) {
    throw new Error(`the parameter ${parameter.name} is no text or integer in path, query or header`);
  }
  const check = schemas.checker(parameter.name, at);
  const value = (text: string): unknown => {
    if (schema.type !== 'integer') return text;
    const integer = integerOfParameter(text);
    return integer !== undefined && schema.format !== 'int64' ? Number(integer) : integer;
  };
  return {
    name: parameter.name,
    in: parameter.in,
    required: parameter.required ?? false,
    fallback: fallbackOf(schema),
    read(text) {
      const read = value(text);
      const fault = check(read) ?? conditionFault(parameter.in, parameter.name, text);
      if (fault === undefined) return { value: read };
      return { fault: schema.type === 'integer' ? `${fault} in plain decimal notation` : fault };
    },
  };
}

function responsesOf(description: Description, operation: OperationObject): Operation['responses'] {
  return new Map(
    Object.entries(operation.responses).map(([status, node]) => {
      const { content } = resolve<ResponseObject>(description, node);
      const schema = content?.['application/json']?.schema;
      if (!/^\d{3}$/.test(status) || (content !== undefined && schema === undefined)) {
        const types = content === undefined ? '' : ` ${Object.keys(content).join(', ')}`;
        throw new Error(`${operation.operationId} answers what nobody here implements: ${status}${types}`);
      }
      return [Number(status), schema && compileSerialiser(description, schema as Schema)];
    }),
  );
}
