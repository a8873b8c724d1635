/** Turns the schemas of a description into code that calls the functions of src/contract/schema.ts. */
import { int64, integer, oneOf, type ParameterSchema, text } from '../../src/contract/schema.ts';
import { type Place, WORDS } from './place.ts';

const ANY = `type ${WORDS}`;
const KEYWORDS: ReadonlyMap<unknown, string> = new Map([
  ['string', `${ANY} const enum format minLength maxLength pattern`],
  ['integer', `${ANY} format minimum maximum`],
  ['array', `${ANY} items maxItems`],
  ['object', `${ANY} properties required additionalProperties`],
]);
const INT32 = [-(2n ** 31n), 2n ** 31n - 1n] as const;
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;

/** Every object inherits members such as `constructor`. Code that looks for such a name would always find it. */
const INHERITED = {};
const COMPONENT = /^#\/components\/schemas\/([^/]+)$/;

/** In a response, the format of a text is only for people. In a request it would be a rule that no code checks. */
export type Direction = 'request' | 'response';

export class SchemaCode {
  /** The code of each named component. A component comes after the components that it refers to. */
  readonly named = new Map<string, string>();

  /** Returns the code of a schema, or its name if it is a component. `within`: the places of the schemas around it. */
  of(place: Place, direction: Direction, within: readonly string[] = []): string {
    const schema = place.follow();
    if (within.includes(schema.at)) schema.refuse('a schema within itself is not implemented here');
    const code = this.#inPlace(schema, direction, [...within, schema.at]);
    const name = COMPONENT.exec(decodeURIComponent(schema.at))?.[1];
    if (name === undefined) return code;
    if (!/^[A-Z]\w*$/.test(name))
      schema.refuse('the name of a schema must be a capital letter, then letters and digits');
    this.named.set(name, code);
    return name;
  }

  /** Returns the code of a parameter's schema. Only such a schema may have a default. */
  ofParameter(place: Place, name: string): { readonly code: string; readonly fallback: string | undefined } {
    const { default: fallback, ...rules } = place.follow().members;
    const schema = place.follow().as(rules);
    const code = this.of(schema, 'request');
    if (fallback === undefined) return { code, fallback };
    const errors: string[] = [];
    const value = typeof fallback === 'bigint' ? Number(fallback) : (fallback as string);
    const read = scalar(schema, 'request').schema.read(value, String(fallback), name, errors);
    if (errors.length > 0) schema.refuse(`the default is wrong: ${errors[0]}`);
    return { code, fallback: typeof read === 'bigint' ? `${read}n` : JSON.stringify(read) };
  }

  #inPlace(schema: Place, direction: Direction, within: readonly string[]): string {
    const { type, items, maxItems } = schema.members;
    if (schema.has('oneOf')) return this.#variantsCode(schema, direction, within);
    if (direction === 'response' && Array.isArray(type) && type.length === 2 && type[1] === 'null') {
      return `nullable(${this.#inPlace(schema.as({ ...schema.members, type: type[0] }), direction, within)})`;
    }
    const keywords = KEYWORDS.get(type);
    if (keywords === undefined) return schema.refuse('the type must be string, integer, array or object');
    schema.only(keywords);
    if (type === 'string' || type === 'integer') return scalar(schema, direction).code;
    if (type === 'object') return this.#objectCode(schema, direction, within);
    if (items === undefined) schema.refuse('an array must have items');
    const item = this.of(schema.get('items'), direction, within);
    return maxItems === undefined ? `array(${item})` : `array(${item}, ${maxItems})`;
  }

  /** A discriminator names the component for each word (OpenAPI 3.1, 4.8.25). Each component has it as `const`. */
  #variantsCode(schema: Place, direction: Direction, within: readonly string[]): string {
    const discriminator = schema.only(`${WORDS} oneOf discriminator`).get('discriminator');
    const { propertyName: by } = discriminator.only('propertyName mapping').members;
    const words = discriminator.get('mapping').entries();
    const branches = schema.get('oneOf').list();
    if (branches.length !== words.length) discriminator.refuse('the mapping must have a word for each schema of oneOf');
    const members = words.map(([word, target]) => {
      const branch = target.as({ $ref: target.value }).follow();
      const { const: own } = branch.get('properties').get(String(by)).follow().members;
      const isRequired = branch
        .get('required')
        .list()
        .some(({ value }) => value === by);
      if (!branches.some(({ at }) => at === branch.at)) target.refuse('oneOf must list this schema');
      if (own !== word || !isRequired) branch.refuse(`it must require ${by}, with the const ${word}`);
      return `${JSON.stringify(word)}: ${this.of(branch, direction, within)}`;
    });
    return `variants(${JSON.stringify(by)}, { ${members.join(', ')} })`;
  }

  #objectCode(schema: Place, direction: Direction, within: readonly string[]): string {
    if (!schema.has('properties')) schema.refuse('an object must have properties');
    const properties = schema.get('properties');
    const required = schema.get('required').list();
    const { additionalProperties } = schema.members;
    if (additionalProperties !== undefined && additionalProperties !== false) {
      schema.get('additionalProperties').refuse('additionalProperties can only be false here');
    }
    const unnamed = required.find(({ value }) => !properties.has(String(value)));
    unnamed?.refuse(`${unnamed.value} is not among the properties`);
    const members = properties.entries().map(([name, property]) => {
      requireOwn(property, name);
      const member = this.of(property, direction, within);
      const isRequired = required.some(({ value }) => value === name);
      return `${JSON.stringify(name)}: ${isRequired ? member : `optional(${member})`}`;
    });
    return `object({ ${members.join(', ')} }${additionalProperties === false ? ', { isClosed: true }' : ''})`;
  }
}

/** Refuses a name that every object has. */
export function requireOwn(place: Place, name: string): void {
  if (name in INHERITED) place.refuse('every object has a member of this name');
}

interface Scalar {
  readonly code: string;
  /** The schema that the code creates. */
  readonly schema: ParameterSchema<unknown>;
}

function scalar(schema: Place, direction: Direction): Scalar {
  return schema.members['type'] === 'string' ? textOf(schema, direction) : integerOf(schema);
}

function textOf(schema: Place, direction: Direction): Scalar {
  const { const: word, enum: words, format, minLength, maxLength, pattern } = schema.members;
  if (word !== undefined) return wordsOf(schema.as({ enum: [word] }));
  if (words !== undefined) return wordsOf(schema);
  if (format !== undefined && direction === 'request') {
    schema.get('format').refuse(`the format ${format} is not checked here for the type string`);
  }
  const rules = {
    ...(minLength === undefined ? {} : { minLength: Number(minLength) }),
    ...(maxLength === undefined ? {} : { maxLength: Number(maxLength) }),
    ...(pattern === undefined ? {} : { pattern: expression(schema.get('pattern')) }),
    rule: textRule(schema),
  };
  const list = Object.entries(rules).map(([name, rule]) => {
    return `${name}: ${typeof rule === 'string' ? JSON.stringify(rule) : rule}`;
  });
  return { code: `text({ ${list.join(', ')} })`, schema: text(rules) };
}

/** The words of an enum. Their characters cannot be confused with the commas of a list in a message. */
function wordsOf(schema: Place): Scalar {
  const words = schema.get('enum').list();
  if (Object.keys(schema.members).some((name) => /format|Length|pattern/.test(name))) {
    schema.refuse('a schema with enum must have no other rule');
  }
  const wrong = words.find(({ value }) => typeof value !== 'string' || !/^[\w.-]+$/.test(value));
  wrong?.refuse('a word of an enum must have only letters, digits, _, . and -');
  const values = words.map(({ value }) => String(value));
  return { code: `oneOf(${values.map((value) => JSON.stringify(value)).join(', ')})`, schema: oneOf(...values) };
}

/** A pattern is a regular expression of ECMAScript in Unicode mode (JSON Schema 2020-12, 6.4). */
function expression(pattern: Place): RegExp {
  try {
    return new RegExp(String(pattern.value), 'u');
  } catch (error) {
    return pattern.refuse((error as Error).message);
  }
}

function textRule(schema: Place): string {
  const { minLength = 0n, maxLength, pattern, description } = schema.members;
  // For people, the description is a better rule than the pattern. The part before a colon explains only the purpose.
  if (pattern !== undefined && description !== undefined) {
    return `a string: ${String(description).replace(/^[^:]*: |\.$/g, '')}`;
  }
  const least = Number(minLength) > 1 ? [`at least ${minLength}`] : [];
  const most = maxLength === undefined ? [] : [`at most ${maxLength}`];
  const length = [...least, ...most].join(' and ');
  return [
    'a string',
    Number(minLength) === 1 ? ' that is not empty' : '',
    length === '' ? '' : ` of ${length} characters`,
    pattern === undefined ? '' : ` that matches ${pattern}`,
  ].join('');
}

function integerOf(schema: Place): Scalar {
  const { format, minimum, maximum } = schema.members;
  if (format !== undefined && format !== 'int32' && format !== 'int64') {
    schema.get('format').refuse(`the format ${format} is not checked here for the type integer`);
  }
  const isWide = format === 'int64';
  const [least, most] = format === undefined ? [undefined, undefined] : isWide ? INT64 : INT32;
  const [min, max] = [minimum ?? least, maximum ?? most];
  if (!isBound(min, isWide) || !isBound(max, isWide)) {
    return schema.refuse('an integer must have the format int64 or int32, or minimum and maximum within 2^53');
  }
  if (isWide) return { code: `int64(${min}n, ${max}n)`, schema: int64(min, max) };
  return { code: `integer(${min}, ${max})`, schema: integer(Number(min), Number(max)) };
}

function isBound(bound: unknown, isWide: boolean): bound is bigint {
  if (typeof bound !== 'bigint') return false;
  return isWide ? BigInt.asIntN(64, bound) === bound : Number.isSafeInteger(Number(bound));
}
