/** Owns validation by the description's schemas, and says in words what would be right. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Description, resolve, type Schema } from './document.ts';
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
  // strict: a keyword or format that nobody understands must not pass silently.
  // No meta-schema: that the schemas are well-formed is what the description's lint looks at.
  const options = { allErrors: true, verbose: true, strict: true, strictTypes: false, strictRequired: false };
  const ajv = new Ajv2020({ ...options, meta: false });
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
  const follow = (schema: Schema) => resolve<Schema>(description, schema);

  const fault = (error: ErrorObject): string => {
    const path = error.instancePath.slice(1).replaceAll('/', '.');
    const below = (name: string) => (path === '' ? name : `${path}.${name}`);
    const schema = error.parentSchema as Schema;
    if (error.keyword === 'required') {
      const name: string = error.params['missingProperty'];
      const wanted = follow(schema.properties?.[name] ?? {});
      return `${below(name)} is missing: it must be ${wording(wanted)}`;
    }
    if (error.keyword === 'additionalProperties')
      return `${below(error.params['additionalProperty'])} must be left out`;
    const subject = path === '' ? 'the body' : path;
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
        const faults = validate(json.value) ? [] : (validate.errors ?? []).map(fault);
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
        const holds = typeof value === 'bigint' ? inRange?.(value) : validate(value);
        return holds ? undefined : `${name} must be ${wording(schema)}`;
      };
    },
  };
}
