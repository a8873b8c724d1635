/** Owns writing bodies: a serialiser made from a response's schema, exact for int64 and blind to what it does not name. */
import { type Description, resolve, type Schema } from './document.ts';

export type Serialise = (value: unknown) => string;

/** Members that the schema does not declare are never written, so nothing internal can leak into an answer. */
export function compileSerialiser(description: Description, node: Schema): Serialise {
  const schema = resolve<Schema>(description, node as Schema);
  if (schema.format === 'int64') return (value) => String(value);
  if (schema.items !== undefined) {
    const item = compileSerialiser(description, schema.items);
    return (value) => `[${(value as readonly unknown[]).map(item).join(',')}]`;
  }
  if (schema.properties !== undefined) {
    const members = Object.entries(schema.properties).map(([name, property]) => ({
      name,
      key: `${JSON.stringify(name)}:`,
      write: compileSerialiser(description, property),
    }));
    return (value) => {
      let text = '';
      for (const { name, key, write } of members) {
        const member = (value as Readonly<Record<string, unknown>>)[name];
        if (member !== undefined) text += (text === '' ? key : `,${key}`) + write(member);
      }
      return `{${text}}`;
    };
  }
  return JSON.stringify;
}
