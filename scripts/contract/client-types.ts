/** Makes TypeScript types for clients from the schemas of a description. */
import { Place } from './place.ts';

const COMPONENT = /^#\/components\/schemas\/([^/]+)$/;
const WIDTH = 118;

/** Returns the unformatted text of the generated file: the named schemas, and the schemas that they refer to. */
export function clientTypes(file: string, document: unknown, names: readonly string[]): string {
  const schemas = new Place(file, document, document, '#').get('components').get('schemas');
  const types = new Map<string, string>();

  const typeOf = (place: Place): string => {
    const schema = place.follow();
    const name = COMPONENT.exec(schema.at)?.[1];
    if (name === undefined || schema.members['type'] !== 'object') return inPlace(schema);
    add(name);
    return name;
  };
  const inPlace = (schema: Place): string => {
    const { type, format } = schema.members;
    // A number of JavaScript is not exact beyond 2^53.
    if (type === 'integer') return format === 'int64' ? 'number | bigint | string' : 'number';
    if (type === 'array') return `readonly ${typeOf(schema.get('items'))}[]`;
    const words = schema.get('enum').list();
    return words.length === 0 ? 'string' : words.map(({ value }) => JSON.stringify(value)).join(' | ');
  };
  const add = (name: string): void => {
    if (types.has(name)) return;
    types.set(name, '');
    const schema = schemas.get(name);
    const required = schema.get('required').list();
    const members = schema.get('properties').entries();
    const lines = members.map(([member, property]) => {
      const isRequired = required.some(({ value }) => value === member);
      return `${comment(property)}readonly ${member}${isRequired ? '' : '?'}: ${typeOf(property)};`;
    });
    types.set(name, `${comment(schema)}export interface ${name} {\n${lines.join('\n')}\n}`);
  };
  for (const name of names) add(name);
  return `// Generated from ${file} by npm run generate. Do not edit.\n\n${[...types.values()].join('\n\n')}\n`;
}

/** Returns the description of a schema as a comment. */
function comment(place: Place): string {
  const { description } = place.members;
  if (description === undefined) return '';
  const lines = String(description).trim().split('\n').flatMap(inLines);
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
}

function inLines(text: string): readonly string[] {
  const lines = [''];
  for (const word of text.trim().split(/\s+/)) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length > WIDTH - 6) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines;
}
