/** Owns the description as a document: reading it, and writing it with every integer exact. */
import { readAsset } from '../assets.ts';

declare global {
  interface JSON {
    /** Text that JSON.stringify writes as it is (ECMAScript 2026); TypeScript 5.9 does not know it yet. */
    rawJSON(text: string): unknown;
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  }
}

/** A server entry, as withBaseUrl rewrites it. */
interface Serving {
  readonly servers: readonly { readonly variables: { readonly base_url: { default: string } } }[];
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A schema of JSON Schema 2020-12, as far as the contract core reads it itself; Ajv reads the rest. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: Json;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface ResponseObject {
  readonly headers?: { readonly [name: string]: Reference | { readonly required?: boolean; readonly schema: Schema } };
  readonly content?: { readonly [type: string]: { readonly schema: Schema } };
}

export interface Reference {
  readonly $ref: string;
}

export interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: { readonly [type: string]: { readonly schema: Schema } };
  };
  readonly responses: { readonly [status: string]: ResponseObject | Reference };
  readonly security?: readonly { readonly [scheme: string]: readonly string[] }[];
}

export const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
export type Method = (typeof METHODS)[number];

export type PathItem = { readonly [method in Method]?: OperationObject } & {
  readonly parameters?: readonly (ParameterObject | Reference)[];
};

/** The parts of an OpenAPI 3.1 document that the service itself reads. */
export interface Description {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly title: string };
  readonly paths: { readonly [path: string]: PathItem };
  readonly security?: OperationObject['security'];
  readonly components: { readonly securitySchemes: { readonly [name: string]: { type: string; scheme?: string } } };
}

/** The text of the generated JSON form of openapi.yaml. */
export function readDescription(): string {
  return readAsset('contract/openapi.gen.json').toString('utf8');
}

export function parseDescription(text: string): Description {
  return JSON.parse(text);
}

/** Any value as JSON text; a bigint is written as the integer it is, which a number beyond 2^53 would not be. */
export function documentText(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) => (typeof item === 'bigint' ? JSON.rawJSON(item.toString()) : item),
    2,
  );
}

/** The document with another default for its server variable, every integer exact. */
export function withBaseUrl(text: string, baseUrl: string): string {
  const exact = (_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && context.source !== undefined
      ? JSON.rawJSON(context.source)
      : value;
  const document = JSON.parse(text, exact) as Serving;
  for (const server of document.servers) server.variables.base_url.default = baseUrl;
  return JSON.stringify(document, null, 2);
}

/** What may stand beside a `$ref`: words. A rule there would be lost on whoever follows the reference. */
const WORDS: ReadonlySet<string> = new Set(['$ref', 'title', 'summary', 'description', 'examples', 'deprecated']);

/** Follows a local reference (`#/components/…`, RFC 6901, section 6) to what it names. */
export function resolve<T extends object>(document: Description, node: T | Reference): T {
  if (!('$ref' in node)) return node;
  const rule = Object.keys(node).find((key) => !WORDS.has(key));
  if (rule !== undefined) throw new Error(`beside ${node.$ref} stands what nobody here implements: ${rule}`);
  let target: unknown = document;
  for (const token of node.$ref.slice(2).split('/').map(decodeURIComponent)) {
    target = (target as Record<string, unknown>)[token.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  if (target === undefined) throw new Error(`the description has no ${node.$ref}`);
  return resolve(document, target as T | Reference);
}

const SCALARS: ReadonlySet<string | undefined> = new Set(['string', 'integer', 'number', 'boolean', 'null']);
const ELSEWHERE = ['allOf', 'anyOf', 'oneOf', 'patternProperties', 'prefixItems'];

/** Throws unless `type`, `properties` and `items` alone tell what a value is made of: what is told elsewhere would be lost. */
export function requireKnownMembers(schema: Schema): void {
  const isKnown = schema.properties ?? schema.items ?? [schema.type].flat().every((type) => SCALARS.has(type));
  if (isKnown && !ELSEWHERE.some((key) => key in schema) && !schema.additionalProperties) return;
  throw new Error(`there is a schema whose members are not known: ${JSON.stringify(schema)}`);
}
