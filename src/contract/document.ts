/** Owns the description as a document: reading it, and writing it with every integer exact. */
import { readAsset } from '../assets.ts';
import { StartupError } from '../errors.ts';

declare global {
  interface JSON {
    /** Text that JSON.stringify writes as it is (ECMAScript 2026); TypeScript 5.9 does not know it yet. */
    rawJSON(text: string): unknown;
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  }
}

/** A server entry, as withBaseUrl rewrites it. */
interface Server {
  url: string;
  variables?: { readonly base_url: { default: string } };
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A schema of JSON Schema 2020-12, as far as the contract core reads it itself; Ajv reads the rest. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: Json;
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface ResponseObject {
  readonly content?: { readonly [type: string]: { readonly schema: Schema } };
}

interface Reference {
  readonly $ref: string;
}

export interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: object;
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
  readonly info: { readonly version: string };
  readonly paths: { readonly [path: string]: PathItem };
  readonly security?: OperationObject['security'];
  readonly components?: { readonly securitySchemes?: { readonly [name: string]: { type: string; scheme?: string } } };
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

/**
 * The document with the address of its server, every integer exact. A base URL stands in place of the variable: some
 * tools send requests to `{base_url}` itself, whatever its default. Without one (empty) the default is `.`, a relative
 * reference, resolved against the document's own address (OpenAPI 3.1, 4.8.5): in place of the variable it would leave
 * other tools without any address. Not `/`, which is another place behind a proxy that removes a prefix, and which tools
 * that concatenate make `//plants` of.
 */
export function withBaseUrl(text: string, baseUrl: string): string {
  const exact = (_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && context.source !== undefined
      ? JSON.rawJSON(context.source)
      : value;
  const document = JSON.parse(text, exact) as { readonly servers: readonly Server[] };
  for (const server of document.servers) {
    if (baseUrl === '') server.variables = { base_url: { default: '.' } };
    else {
      server.url = baseUrl;
      delete server.variables;
    }
  }
  return JSON.stringify(document, null, 2);
}

/** Keywords that only describe. They may stand beside a `$ref`; a rule there would be lost, as references are followed. */
export const WORDS = 'title summary description examples example externalDocs deprecated $comment';

/** A name in a JSON pointer that is a URI fragment (RFC 6901, section 6). */
export function token(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Why a description is not served: the place of what is wrong, and the rule. */
export function refusal(at: string, rule: string): StartupError {
  return new StartupError(`openapi.yaml, ${decodeURIComponent(at)}: ${rule}`);
}

/** Follows local references (`#/components/…`) from the place of a node to that of what they name. */
export function locate(document: Description, node: unknown, at: string, through: readonly string[] = []): Located {
  const ref = (node as Partial<Reference> | null | undefined)?.$ref;
  if (typeof ref !== 'string') return { node, at };
  const known = ['$ref', ...WORDS.split(' ')];
  const rule = Object.keys(node as Reference).find((key) => !known.includes(key) && !key.startsWith('x-'));
  if (rule !== undefined) throw refusal(at, `beside a $ref ${rule} is not implemented here`);
  const target = lookUp(document, ref);
  if (target === undefined) throw refusal(at, `there is no ${ref}`);
  if (through.includes(ref)) throw refusal(at, 'the reference leads to itself');
  return locate(document, target, ref, [...through, ref]);
}

function lookUp(document: unknown, ref: string): unknown {
  const [whole, ...tokens] = ref.split('/');
  if (whole !== '#') return undefined;
  try {
    const names = tokens.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
    return names.reduce((at, name) => (at as Record<string, unknown>)[name], document);
  } catch {
    // It is no URI, or leads through what is not there.
    return undefined;
  }
}

interface Located {
  readonly node: unknown;
  /** A JSON pointer as a URI fragment. */
  readonly at: string;
}

/** What a node is, its references followed. */
export function resolve<T extends object>(document: Description, node: T | Reference): T {
  return locate(document, node, '#').node as T;
}
