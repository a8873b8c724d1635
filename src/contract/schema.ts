/** The schemas of a description as values. A schema reads and writes JSON exactly, and describes its rule. */
import type { Json } from './json.ts';

/** A schema of values of type `T`, made by the functions below. */
export interface Schema<T> {
  /** The rule in words. Messages put it after "must be". */
  readonly rule: string;
  /**
   * Converts a JSON value: an int64 becomes a bigint, and members that no schema names are left out. Adds each error to
   * `errors`. An error begins with `at`, the path to the value, which is '' for the whole body. `written` is the same
   * JSON with numbers as source text (`ParsedJson`), since a double cannot represent every int64. If it is given,
   * numbers are read from it. For {"id":9007199254740993}, `value` is {id: 9007199254740992} and `written` is
   * {id: '9007199254740993'}.
   */
  read(value: Json, written: Json | undefined, at: string, errors: string[]): T | undefined;
  write(value: T): string;
  /** The schema of the items, if the values are arrays. A long array is written item by item. */
  readonly items?: Schema<unknown>;
}

export interface ParameterSchema<T> extends Schema<T> {
  readText(text: string, name: string, errors: string[]): T | undefined;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : undefined;

function refuse(errors: string[], at: string, rule: string): undefined {
  errors.push(`${at || 'the body'} must ${rule}`);
}

interface TextRules {
  /** Lengths are in code points, as in JSON Schema. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  readonly rule: string;
}

/** Text. It cannot contain unpaired surrogates, which UTF-8 cannot represent. */
export function text({ minLength = 0, maxLength = Infinity, pattern, rule }: TextRules): ParameterSchema<string> {
  const isValid = (value: string): boolean => {
    // A text never has more code points than UTF-16 units, so most texts need not be counted.
    const length = minLength > 0 || value.length > maxLength ? [...value].length : 0;
    return length >= minLength && length <= maxLength && value.isWellFormed() && (pattern?.test(value) ?? true);
  };
  const read = (value: Json, _written: Json | undefined, at: string, errors: string[]) =>
    typeof value === 'string' && isValid(value) ? value : refuse(errors, at, `be ${rule}`);
  return { rule, read, readText: (value, name, errors) => read(value, undefined, name, errors), write: JSON.stringify };
}

/** Text that is one of these words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): ParameterSchema<Word> {
  const rule = `one of ${words.join(', ')}`;
  const find = (value: Json, at: string, errors: string[]) =>
    words.find((word) => word === value) ?? refuse(errors, at, `be ${rule}`);
  return {
    rule,
    read: (value, _written, at, errors) => find(value, at, errors),
    readText: find,
    write: JSON.stringify,
  };
}

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;
/** No int64 has more digits. */
const MAX_DIGITS = 20;
/** How a parameter must be written, so that each integer has one address. */
const PLAIN = /^(?:0|-?[1-9]\d{0,19})$/;

export function int64(min = INT64_MIN, max = INT64_MAX): ParameterSchema<bigint> {
  const rule = `an integer from ${min} to ${max}`;
  const isValid = (value: bigint | undefined): value is bigint => value !== undefined && value >= min && value <= max;
  return {
    rule,
    read(value, written, at, errors) {
      const found = typeof value === 'number' ? integerOf(value, written) : undefined;
      return isValid(found) ? found : refuse(errors, at, `be ${rule}`);
    },
    readText(text, name, errors) {
      const found = PLAIN.test(text) ? BigInt(text) : undefined;
      return isValid(found) ? found : refuse(errors, name, `be ${rule} in plain decimal notation`);
    },
    write: String,
  };
}

/** An integer that a double can represent exactly. */
export function integer(min: number, max: number): ParameterSchema<number> {
  const { rule, read, readText } = int64(BigInt(min), BigInt(max));
  const narrow = (found: bigint | undefined) => (found === undefined ? undefined : Number(found));
  return {
    rule,
    read: (...given) => narrow(read(...given)),
    readText: (...given) => narrow(readText(...given)),
    write: String,
  };
}

function integerOf(value: number, written: Json | undefined): bigint | undefined {
  if (typeof written === 'string') return integerOfText(written);
  return Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

/**
 * Reads an integer in any notation of JSON: `12`, `12.0` and `1.2e1` are all 12 (JSON Schema 2020-12, validation,
 * 6.1.1). It works on the text: `1e999999999` takes no time, and a fraction after 17 digits is not lost.
 */
export function integerOfText(source: string): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  // `/0+$/` would start again at every zero: 64 KiB of zeros would block the event loop for seconds.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  if (end === 0) return sign === undefined ? undefined : 0n;
  const zeros = digits.length - end + Number(exponent) - fraction.length;
  if (zeros < 0 || end + zeros > MAX_DIGITS) return undefined;
  const magnitude = BigInt(digits.slice(0, end) + '0'.repeat(zeros));
  return sign === '-' ? -magnitude : magnitude;
}

export function array<T>(items: Schema<T>, maxItems = Infinity): Schema<readonly T[]> {
  const rule = 'an array';
  return {
    rule,
    items,
    read(value, written, at, errors) {
      if (!Array.isArray(value)) return refuse(errors, at, `be ${rule}`);
      if (value.length > maxItems) return refuse(errors, at, `have at most ${maxItems} items`);
      const below = at === '' ? '' : `${at}.`;
      // If an item is invalid, `errors` is not empty and nobody uses the array.
      return value.map((item: Json, i) => items.read(item, member(written, i), below + i, errors) as T);
    },
    write(value) {
      // Appending takes less time than joining an array of texts.
      let json = '';
      for (const item of value) json += json === '' ? items.write(item) : `,${items.write(item)}`;
      return `[${json}]`;
    },
  };
}

interface Optional<T> {
  readonly optional: Schema<T>;
}
type Members = Readonly<Record<string, Schema<unknown> | Optional<unknown>>>;
type ObjectOf<M extends Members> = Flat<
  { [Name in keyof M as M[Name] extends Optional<unknown> ? never : Name]: TypeOf<M[Name]> } & {
    [Name in keyof M as M[Name] extends Optional<unknown> ? Name : never]?: M[Name] extends Optional<infer T>
      ? T
      : never;
  }
>;
type Flat<T> = { readonly [Key in keyof T]: T[Key] };

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema };
}

/** The most characters of a member's name in an error. */
const MAX_NAME = 60;
const shorten = (name: string) => (name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`).toWellFormed();

/**
 * An object. Only the named members are read and written, so nothing internal leaks into a response. `isClosed`: other
 * members are an error, which names the first of them.
 */
export function object<const M extends Members>(
  members: M,
  { isClosed = false }: { readonly isClosed?: boolean } = {},
): Schema<ObjectOf<M>> {
  const list = Object.entries(members).map(([name, member]) => {
    const isOptional = 'optional' in member;
    const schema = isOptional ? member.optional : member;
    // Each key is one text, made once: a page of 100 plants takes half the time.
    const key = `${JSON.stringify(name)}:`;
    return { name, isOptional, schema, firstKey: `{${key}`, laterKey: `,${key}` };
  });
  const rule = 'an object';
  return {
    rule,
    read(value, written, at, errors) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return refuse(errors, at, `be ${rule}`);
      }
      const given = value as Readonly<Record<string, Json>>;
      const below = at === '' ? '' : `${at}.`;
      for (const { name, isOptional, schema } of list) {
        if (isOptional || Object.hasOwn(given, name)) continue;
        errors.push(`${below}${name} is missing and must be ${schema.rule}`);
      }
      const other = isClosed ? Object.keys(given).find((name) => !Object.hasOwn(members, name)) : undefined;
      if (other !== undefined) {
        const known = list.map(({ name }) => name).join(', ');
        errors.push(`${below}${shorten(other)} is unknown; the members are ${known}`);
      }
      const found: Record<string, unknown> = {};
      for (const { name, schema } of list) {
        if (!Object.hasOwn(given, name)) continue;
        found[name] = schema.read(given[name] as Json, member(written, name), below + name, errors);
      }
      return found as ObjectOf<M>;
    },
    write(value) {
      let json = '';
      for (const { name, schema, firstKey, laterKey } of list) {
        const found = (value as Readonly<Record<string, unknown>>)[name];
        if (found !== undefined) json += (json === '' ? firstKey : laterKey) + schema.write(found);
      }
      return json === '' ? '{}' : `${json}}`;
    },
  };
}

export function nullable<T>({ rule, read, write }: Schema<T>): Schema<T | null> {
  return {
    rule: `${rule}, or null`,
    read: (value, ...rest) => (value === null ? null : read(value, ...rest)),
    write: (value) => (value === null ? 'null' : write(value)),
  };
}

/** One of several objects. `by`: the member whose word identifies the object (a discriminator of OpenAPI, 4.8.25). */
export function variants<const Schemas extends Readonly<Record<string, Schema<unknown>>>>(
  by: string,
  schemas: Schemas,
): Schema<TypeOf<Schemas[keyof Schemas]>> {
  const rule = `an object whose ${by} is one of ${Object.keys(schemas).join(', ')}`;
  const schemaOf = (value: unknown): Schema<unknown> | undefined => {
    const word = (value as Readonly<Record<string, unknown>> | null)?.[by];
    return typeof word === 'string' && Object.hasOwn(schemas, word) ? schemas[word] : undefined;
  };
  return {
    rule,
    read: (value, written, at, errors) =>
      (schemaOf(value)?.read(value, written, at, errors) ?? refuse(errors, at, `be ${rule}`)) as never,
    write(value) {
      const schema = schemaOf(value);
      if (schema === undefined) throw new Error(`the value must be ${rule}`);
      return schema.write(value);
    },
  };
}

function member(written: Json | undefined, name: string | number): Json | undefined {
  return written === undefined ? undefined : (written as Readonly<Record<string | number, Json>>)[name];
}
