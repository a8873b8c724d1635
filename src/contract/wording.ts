/** Owns what a schema asks for: its integer bounds exactly, and its rule in words. */
import type { Json, Schema } from './document.ts';
import { INT64_MAX, INT64_MIN } from './integer.ts';

/** Bounds of an integer schema. As a double, int64's maximum reads 2^63: where a bound is unsafe, the format rules. */
function bounds({ minimum, maximum }: Schema): { min: bigint; max: bigint } {
  return {
    min: minimum !== undefined && Number.isSafeInteger(minimum) ? BigInt(minimum) : INT64_MIN,
    max: maximum !== undefined && Number.isSafeInteger(maximum) ? BigInt(maximum) : INT64_MAX,
  };
}

/** Rules that are judged on the double, which is not the int64. */
const INEXACT = ['enum', 'const', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'];

/** Whether an int64 is what its schema asks for; throws where that is more than bounds which a double can hold. */
export function compileRange(schema: Schema): (value: bigint) => boolean {
  const inexact = INEXACT.find((key) => key in schema);
  const unsafe = [schema.minimum, schema.maximum, schema.default].some((one) => one !== undefined && !isExact(one));
  if (schema.type !== 'integer' || inexact !== undefined || unsafe) {
    throw new Error(`an int64 can have minimum, maximum and default within 2^53 alone: ${JSON.stringify(schema)}`);
  }
  const { min, max } = bounds(schema);
  return (value) => value >= min && value <= max;
}

function isExact(value: Json): boolean {
  return Number.isSafeInteger(value) || Math.abs(Number(value)) === 2 ** 63;
}

/** What would be right, to stand behind "must be". */
export function wording(schema: Schema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema.type === 'integer') {
    const { min, max } = bounds(schema);
    return `an integer from ${min} to ${max}`;
  }
  if (schema.type === 'string') {
    // A pattern is for machines; where the description says the same to people, that is the better rule.
    if (schema.pattern !== undefined && schema.description !== undefined) {
      return `a string: ${schema.description.replace(/\.$/, '')}`;
    }
    const { minLength = 0, maxLength, pattern } = schema;
    const least = minLength > 1 ? [`at least ${minLength}`] : [];
    const most = maxLength === undefined ? [] : [`at most ${maxLength}`];
    const length = [...least, ...most].join(' and ');
    return [
      'a string',
      minLength === 1 ? ' that is not empty' : '',
      length === '' ? '' : ` of ${length} characters`,
      pattern === undefined ? '' : ` that matches ${pattern}`,
    ].join('');
  }
  if (schema.type === undefined) return 'what the schema describes';
  return [schema.type].flat().map(withArticle).join(' or ');
}

function withArticle(type: string): string {
  return type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** The rules that the wording tells, which depends on the type. */
export function isWorded(rule: string, { type }: Schema): boolean {
  if (rule === 'type' || rule === 'enum') return true;
  return type === 'string' || (type === 'integer' && (rule === 'minimum' || rule === 'maximum'));
}
