/** Reads openapi.yaml for the tests of its examples, without the generator, so as not to repeat its bugs. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Example {
  readonly value: unknown;
}

export interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Response {
  readonly content?: { readonly 'application/json': { readonly examples?: Readonly<Record<string, Example>> } };
  readonly links?: Readonly<Record<string, Link>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  /** The value that tools fill in: the first example of the parameter, or else of its schema. */
  readonly example?: unknown;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly requests: Readonly<Record<string, Example>>;
  readonly responses: Readonly<Record<string, Response>>;
}

interface Node {
  readonly [key: string]: Node;
}

const document: Node = parse(readFileSync(new URL('../../contract/openapi.yaml', import.meta.url), 'utf8'));

/** All operations of the description, with references resolved. */
export const operations: readonly Operation[] = Object.entries(document['paths'] ?? {}).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({
      id: String(operation['operationId']),
      method: method.toUpperCase(),
      path,
      parameters: [...list(item['parameters']), ...list(operation['parameters'])].map(parameterOf),
      requests: (operation['requestBody']?.['content']?.['application/json']?.['examples'] ??
        {}) as unknown as Readonly<Record<string, Example>>,
      responses: Object.fromEntries(
        Object.entries(operation['responses'] ?? {}).map(([status, node]) => [status, resolve(node) as Response]),
      ),
    })),
);

function parameterOf(node: Node): Parameter {
  const parameter = resolve(node);
  const [own] = Object.values(parameter['examples'] ?? {});
  const [example] = list(resolve(parameter['schema'] ?? {})['examples']);
  return { example: own?.['value'] ?? example, ...parameter } as unknown as Parameter;
}

/** The path of an operation for a plant. The other parameters have the values of their examples. */
export function targetOf({ path, parameters }: Operation, id: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const example = parameters.find((one) => one.in === 'path' && one.name === name)?.example;
    return name === 'id' ? id : encodeURIComponent(String(example));
  });
}

export function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`the description has no operation ${id}`);
  return found;
}

/** Returns the examples of a response's body by name. */
export function examplesOf(response: Response | undefined): Readonly<Record<string, Example>> {
  return response?.content?.['application/json'].examples ?? {};
}

/** Returns the example of an object schema, with every member that the schema names. */
export function wholeOf(schema: string): Readonly<Record<string, unknown>> {
  const [example] = list(schemaOf(schema)['examples']);
  return objectOf(schema, (_property, name) => {
    const value = example?.[name];
    if (value === undefined) throw new Error(`the example of ${schema} has no ${name}`);
    return value;
  });
}

/** Returns the same example with the longest allowed text in every member. */
export function longestOf(schema: string): Readonly<Record<string, unknown>> {
  const whole = wholeOf(schema);
  return objectOf(schema, ({ maxLength }, name) =>
    maxLength === undefined ? whole[name] : 'x'.repeat(Number(maxLength)),
  );
}

/** Returns the same example with another value in every member. */
export function otherOf(schema: string): Readonly<Record<string, unknown>> {
  const whole = wholeOf(schema);
  return objectOf(schema, (property, name) => {
    const value = whole[name];
    if (property['enum'] !== undefined) return list(property['enum']).find((one: unknown) => one !== value);
    if (typeof value === 'boolean') return !value;
    return typeof value === 'number' ? value + 1 : `${value} 2`;
  });
}

function objectOf(schema: string, make: (property: Node, name: string) => unknown): Readonly<Record<string, unknown>> {
  const { properties = {} } = schemaOf(schema);
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, make(resolve(property), name)]),
  );
}

function schemaOf(name: string): Node {
  return resolve({ $ref: `#/components/schemas/${name}` } as unknown as Node);
}

function list(node: Node | undefined): readonly Node[] {
  return (node ?? []) as readonly Node[];
}

function resolve(node: Node): Node {
  const reference: unknown = node['$ref'];
  if (typeof reference !== 'string') return node;
  const target = reference
    .slice(2)
    .split('/')
    .reduce<Node | undefined>((at, token) => at?.[token], document);
  if (target === undefined) throw new Error(`the description has no ${reference}`);
  return resolve(target);
}
