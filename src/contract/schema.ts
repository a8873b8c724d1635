/** Owns validation by the description's schemas, exact int64 included, and says in words what would be right. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Description, type Json, resolve, type Schema } from './document.ts';
import { INT64_MAX, INT64_MIN, integerOf } from './integer.ts';
import type { ParsedJson } from './json.ts';

export interface Schemas {
  /** A reader of JSON bodies: the value by the schema with int64 as bigint and extra members left out, or its faults. */
  reader(pointer: string): (json: ParsedJson) => Reading;
  /** A check of one value (a parameter): undefined when it holds, or else what would be right. */
  checker(name: string, pointer: string): (value: unknown) => string | undefined;
  /** The schema at a pointer into the description, references followed. */
  at(pointer: string): Schema;
}

export type Reading = { readonly value: unknown } | { readonly faults: readonly string[] };

const DOCUMENT = 'openapi';

/** Compiles the schemas of a description; each is compiled when it is first asked for. */
export function compileSchemas(description: Description): Schemas {
  // strict: a keyword or format that nobody understands must not pass silently.
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: true, strictTypes: false, strictRequired: false });
  for (const format of ['int32', 'int64', 'uri-reference']) ajv.addFormat(format, true);
  // The document is no schema, but Ajv has to take it for one that asks for nothing: references resolve within it.
  ajv.addVocabulary(Object.keys(description));
  ajv.addSchema(description, DOCUMENT, undefined, false);
  const compile = (pointer: string): ValidateFunction => {
    const validate = ajv.getSchema(`${DOCUMENT}${pointer}`);
    if (validate === undefined) throw new Error(`the description has no schema at ${pointer}`);
    return validate;
  };
  const at = (pointer: string) => resolve<Schema>(description, { $ref: pointer });
  const follow = (schema: Schema): Schema => (schema.$ref === undefined ? schema : at(schema.$ref));

  const fault = (error: ErrorObject): string => {
    const path = error.instancePath.slice(1).replaceAll('/', '.');
    const schema = error.parentSchema as Schema;
    if (error.keyword === 'required') {
      const name: string = error.params['missingProperty'];
      const wanted = follow(schema.properties?.[name] ?? {});
      return `${path === '' ? name : `${path}.${name}`} is missing: it must be ${wording(wanted)}`;
    }
    return `${path === '' ? 'the body' : path} must be ${wording(schema)}`;
  };

  /** Rebuilds the value by the schema: int64 exactly as written, and nothing that the schema does not name. */
  const exact = (
    schema: Schema,
    value: Json,
    source: () => Json,
    mayRound: boolean,
    path: string,
    faults: string[],
  ) => {
    if (schema.format === 'int64' && typeof value === 'number') {
      const integer = !mayRound && Number.isSafeInteger(value) ? BigInt(value) : integerOf(String(source()));
      if (integer !== undefined && inRange(schema, integer)) return integer;
      faults.push(`${path} must be ${wording(schema)}`);
    } else if (schema.properties !== undefined && isObject(value)) {
      const result: Record<string, unknown> = {};
      for (const name in schema.properties) {
        const item = Object.hasOwn(value, name) ? value[name] : undefined;
        if (item === undefined) continue;
        const below = () => (source() as { [name: string]: Json })[name] as Json;
        const property = follow(schema.properties[name] as Schema);
        result[name] = exact(property, item, below, mayRound, path === '' ? name : `${path}.${name}`, faults);
      }
      return result;
    }
    return value;
  };

  return {
    at,
    reader(pointer) {
      const validate = compile(pointer);
      const schema = at(pointer);
      return (json) => {
        if (!validate(json.value)) return { faults: [...new Set(validate.errors?.map(fault))] };
        const faults: string[] = [];
        let sources: Json | undefined;
        const source = () => {
          sources ??= json.sources();
          return sources;
        };
        const value = exact(schema, json.value, source, json.mayRound, '', faults);
        return faults.length === 0 ? { value } : { faults };
      };
    },
    checker(name, pointer) {
      const schema = at(pointer);
      const validate = compile(pointer);
      return (value) => {
        const holds = typeof value === 'bigint' ? inRange(schema, value) : validate(value);
        return holds ? undefined : `${name} must be ${wording(schema)}`;
      };
    },
  };
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The bounds of an integer schema. As a double, int64's maximum reads 2^63: where a bound is unsafe, the format rules. */
function bounds(schema: Schema): { min: bigint; max: bigint } {
  const { minimum, maximum } = schema;
  return {
    min: minimum !== undefined && Number.isSafeInteger(minimum) ? BigInt(minimum) : INT64_MIN,
    max: maximum !== undefined && Number.isSafeInteger(maximum) ? BigInt(maximum) : INT64_MAX,
  };
}

function inRange(schema: Schema, value: bigint): boolean {
  const { min, max } = bounds(schema);
  return value >= min && value <= max;
}

/** What a schema asks for, in words. */
function wording(schema: Schema): string {
  if (schema.type === 'integer') {
    const { min, max } = bounds(schema);
    return `an integer from ${min} to ${max}`;
  }
  if (schema.type === 'string') {
    const length = schema.maxLength === undefined ? '' : ` of at most ${schema.maxLength} characters`;
    const pattern = schema.pattern === undefined ? '' : ` that matches ${schema.pattern}`;
    return schema.minLength === 1 ? `a string that is not empty${length}${pattern}` : `a string${length}${pattern}`;
  }
  return schema.type === undefined ? 'what the schema describes' : `an ${schema.type}`;
}
