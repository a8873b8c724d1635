/** The schemas of the description as values: each reads JSON exactly, writes it, and says in words what would be right. */
import type { Json } from './json.ts';

/** A schema of values of type `T`. Made by the functions below, as `contract.generated.ts` calls them. */
export interface Schema<T> {
  /** What would be right, to stand behind "must be". */
  readonly rule: string;
  /**
   * The value that a JSON value means, int64 as bigint and unknown members left out; every error is added to `errors`.
   * `written`: the same value with its numbers as texts, where a double may not hold one of them; else undefined.
   */
  read(value: Json, written: Json | undefined, at: string, errors: string[]): T | undefined;
  write(value: T): string;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never;

export function text(rules: { maxLength?: number; pattern?: RegExp; rule: string }): Schema<string> {
  const { maxLength = Number.POSITIVE_INFINITY, pattern, rule } = rules;
  return {
    rule,
    read(value, _written, at, errors) {
      // A text has at most as many characters (code points) as UTF-16 units.
      const fits = typeof value === 'string' && (value.length <= maxLength || [...value].length <= maxLength);
      if (fits && (pattern === undefined || pattern.test(value))) return value;
      errors.push(`${at} must be ${rule}`);
      return undefined;
    },
    write: JSON.stringify,
  };
}

/** An integer that a double holds. */
export function integer(min: number, max: number): Schema<number> {
  const wide = int64(BigInt(min), BigInt(max));
  return {
    rule: wide.rule,
    read(value, written, at, errors) {
      const found = wide.read(value, written, at, errors);
      return found === undefined ? undefined : Number(found);
    },
    write: String,
  };
}

export function int64(min = -(2n ** 63n), max = 2n ** 63n - 1n): Schema<bigint> {
  const rule = `an integer from ${min} to ${max}`;
  return {
    rule,
    read(value, written, at, errors) {
      if (typeof value === 'number') {
        const found = written === undefined ? wholeNumber(value) : integerOf(written as string);
        if (found !== undefined && found >= min && found <= max) return found;
      }
      errors.push(`${at} must be ${rule}`);
      return undefined;
    },
    write: String,
  };
}

function wholeNumber(value: number): bigint | undefined {
  return Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

export function array<T>(items: Schema<T>, maxItems = Number.POSITIVE_INFINITY): Schema<readonly T[]> {
  const rule = 'an array';
  return {
    rule,
    read(value, written, at, errors) {
      if (!Array.isArray(value)) return void errors.push(`${at} must be ${rule}`);
      if (value.length > maxItems) return void errors.push(`${at} must have at most ${maxItems} items`);
      return value.map((item: Json, i) => items.read(item, member(written, i), `${at}.${i}`, errors) as T);
    },
    write: (value) => `[${value.map(items.write).join()}]`,
  };
}

type Members = Readonly<Record<string, Schema<unknown> | Optional<unknown>>>;
interface Optional<T> {
  readonly optional: Schema<T>;
}
type Flat<T> = { readonly [Key in keyof T]: T[Key] };
type ObjectOf<M extends Members> = Flat<
  { [Name in keyof M as M[Name] extends Schema<unknown> ? Name : never]: TypeOf<M[Name]> } & {
    [Name in keyof M as M[Name] extends Optional<unknown> ? Name : never]?: M[Name] extends Optional<infer T>
      ? T
      : never;
  }
>;

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema };
}

/** Members that it does not name are neither read nor written: nothing internal can leak into an answer. */
export function object<const M extends Members>(members: M): Schema<ObjectOf<M>> {
  const list = Object.entries(members).map(([name, member]) => {
    const isOptional = 'optional' in member;
    return { name, key: `${JSON.stringify(name)}:`, isOptional, schema: isOptional ? member.optional : member };
  });
  return {
    rule: 'an object',
    read(value, written, at, errors) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return void errors.push(`${at || 'the body'} must be an object`);
      }
      const found: Record<string, unknown> = {};
      const given = value as Readonly<Record<string, Json>>;
      for (const { name, isOptional, schema } of list) {
        const below = at === '' ? name : `${at}.${name}`;
        if (Object.hasOwn(given, name))
          found[name] = schema.read(given[name] as Json, member(written, name), below, errors);
        else if (!isOptional) errors.push(`${below} is missing: it must be ${schema.rule}`);
      }
      return found as ObjectOf<M>;
    },
    write(value) {
      let json = '';
      for (const { name, key, schema } of list) {
        const one = (value as Readonly<Record<string, unknown>>)[name];
        if (one !== undefined) json += `${json === '' ? '' : ','}${key}${schema.write(one)}`;
      }
      return `{${json}}`;
    },
  };
}

function member(written: Json | undefined, name: string | number): Json | undefined {
  return written === undefined ? undefined : (written as never)[name];
}

const MAX_DIGITS = 20;

/** The integer that a JSON number means: `12`, `12.0` and `1.2e1` are all 12 (JSON Schema 2020-12, validation, 6.1.1). */
export function integerOf(source: string): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  if (end === 0) return sign === undefined ? undefined : 0n;
  const zeros = digits.length - end + Number(exponent) - fraction.length;
  if (zeros < 0 || end + zeros > MAX_DIGITS) return undefined;
  const magnitude = BigInt(digits.slice(0, end) + '0'.repeat(zeros));
  return sign === '-' ? -magnitude : magnitude;
}
