/** Makes the TypeScript of a JSON Schema of its own, which is not part of a description: its schema as a value. */
import { Place } from './place.ts';
import { SchemaCode } from './schema-code.ts';

interface Source {
  readonly file: string;
  /** The JSON Schema, with integers as bigint. */
  readonly document: object;
  readonly name: string;
  /** The folder of schema.ts, relative to the generated file. */
  readonly imports: string;
}

/** Returns the unformatted text of the generated file. Throws an Error whose message is one line. */
export function generateJsonSchema({ file, document, name, imports }: Source): string {
  const rules = Object.fromEntries(Object.entries(document).filter(([keyword]) => keyword !== '$schema'));
  const code = new SchemaCode().of(new Place(file, rules, rules, '#'), 'request');
  const used = ['array', 'integer', 'object', 'oneOf', 'optional', 'text'].filter((one) => code.includes(`${one}(`));
  return `// Generated from ${file} by npm run generate. Do not edit.
import { ${used.join(', ')}, type TypeOf } from '${imports}/schema.ts';

export const ${name} = ${code};
export type ${name} = TypeOf<typeof ${name}>;
`;
}
