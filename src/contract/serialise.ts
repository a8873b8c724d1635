/** Owns writing bodies: a serialiser made from a response's schema, exact for int64 and blind to what it does not name. */
import { type Description, resolve, type Schema } from './document.ts';

export type Serialise = (value: unknown) => string;

/** Members that the schema does not declare are never written, so nothing internal can leak into an answer. */
export function compileSerialiser(description: Description, node: Schema): Serialise {
  const schema = resolve<Schema>(description, node);
  const write = compileType(description, schema);
  return [schema.type].flat().includes('null') ? (value) => (value === null ? 'null' : write(value)) : write;
}

function compileType(description: Description, schema: Schema): Serialise {
  if (schema.format === 'int64') return (value) => String(value);
  if (schema.type === 'string') return quote;
  if (schema.items !== undefined) {
    const item = compileSerialiser(description, schema.items);
    return (value) => {
      let text = '';
      for (const one of value as readonly unknown[]) text += (text === '' ? '' : ',') + item(one);
      return `[${text}]`;
    };
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

/** Longer texts are looked through faster by JSON.stringify. */
const SHORT = 64;

/** A text as JSON. Most are short and need no escape: to see that takes less than a call of JSON.stringify. */
function quote(value: unknown): string {
  const text = value as string;
  if (text.length > SHORT) return JSON.stringify(text);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Controls, the quote, the backslash, and surrogates, whose pairs JSON.stringify looks for.
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit >= 0xd800) return JSON.stringify(text);
  }
  return `"${text}"`;
}
