/** Generates a function that validates values by a JSON Schema. The code needs no library. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';

/** Times as `toISOString` writes them. */
const FORMATS = { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ };

/** Returns the text of the generated file. `json`: the schema. */
export function generateValidator(file: string, json: string): string {
  // The code contains the schema, and descriptions are only for people.
  const isDescription = (name: string, value: unknown) => name === 'description' && typeof value === 'string';
  const rules = JSON.parse(json, (name, value) => (isDescription(name, value) ? undefined : value)) as object;
  const ajv = new Ajv2020({ formats: FORMATS, allowUnionTypes: true, code: { source: true, esm: true, lines: true } });
  const code = standaloneCode.default(ajv, ajv.compile(rules)).replace(/^export default .*\n/m, '');
  return `// @ts-nocheck
// Generated from ${file} by npm run generate. Do not edit.
${code}
`;
}
