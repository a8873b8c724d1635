/** Owns validation by the description's schemas, and says in words what would be right. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Description, refusal, resolve, type Schema } from './document.ts';
import { compileExact } from './exact.ts';
import type { ParsedJson } from './json.ts';
import { compileRange, isWorded, wording } from './wording.ts';

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
  // Not strict about keywords: requireImplemented knows those that are judged, and Ajv passes over those that only tell.
  // No meta-schema: that the schemas are well-formed is what the description's lint looks at.
  const options = { allErrors: true, verbose: true, strictSchema: false, strictTypes: false, strictRequired: false };
  const ajv = new Ajv2020({ ...options, meta: false });
  ajv.addFormat('int32', { type: 'number', validate: (value) => Math.abs(value + 0.5) < 2 ** 31 });
  ajv.addFormat('int64', true);
  // The document is no schema, but Ajv has to take it for one that asks for nothing: references resolve within it.
  ajv.addSchema(description, DOCUMENT, undefined, false);
  const compile = (pointer: string): ValidateFunction => {
    try {
      return ajv.getSchema(`${DOCUMENT}${pointer}`) as ValidateFunction;
    } catch (error) {
      throw refusal(pointer, (error as Error).message);
    }
  };
  const at = (pointer: string) => resolve<Schema>(description, { $ref: pointer });
  const follow = (schema: Schema) => resolve<Schema>(description, schema);

  /** `whole`: what the value is, where all of it is meant. */
  const fault = (error: ErrorObject, whole: string): string => {
    const path = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
    const below = (name: string) => (path === '' ? name : `${path}.${name}`);
    const schema = error.parentSchema as Schema;
    if (error.keyword === 'required') {
      const name: string = error.params['missingProperty'];
      const wanted = follow(schema.properties?.[name] as Schema);
      return `${below(name)} is missing: it must be ${wording(wanted)}`;
    }
    if (error.keyword === 'additionalProperties')
      return `${below(error.params['additionalProperty'])} must be left out`;
    const subject = path === '' ? whole : path;
    if (isWorded(error.keyword, schema)) return `${subject} must be ${wording(schema)}`;
    // What Ajv says of the other rules begins with "must" as well.
    return `${subject} ${error.message}`;
  };

  return {
    at,
    reader(pointer) {
      const validate = compile(pointer);
      const rebuild = compileExact(at(pointer), follow);
      return (json) => {
        const faults = validate(json.value) ? [] : (validate.errors ?? []).map((error) => fault(error, 'the body'));
        const value = rebuild(json.value, json, faults);
        // Both word a rule alike, so that a field which both refuse is named once.
        return faults.length === 0 ? { value } : { faults: [...new Set(faults)] };
      };
    },
    checker(name, pointer) {
      const schema = at(pointer);
      const validate = compile(pointer);
      const inRange = schema.format === 'int64' ? compileRange(schema) : undefined;
      return (value) => {
        if (typeof value === 'bigint') return inRange?.(value) ? undefined : `${name} must be ${wording(schema)}`;
        if (validate(value)) return undefined;
        return [...new Set((validate.errors ?? []).map((error) => fault(error, name)))].join('; ');
      };
    },
  };
}
