/** Owns what a schema asks for: its integer bounds exactly, and its rule in words. */
import type { Schema } from './document.ts';
import { INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN } from './integer.ts';

/** Bounds of an integer schema. As a double, int64's maximum reads 2^63: where a bound is unsafe, the format rules. */
function bounds({ format, minimum, maximum }: Schema): { min: bigint; max: bigint } {
  const [least, most] = format === 'int32' ? [INT32_MIN, INT32_MAX] : [INT64_MIN, INT64_MAX];
  return {
    min: minimum !== undefined && Number.isSafeInteger(minimum) ? BigInt(minimum) : least,
    max: maximum !== undefined && Number.isSafeInteger(maximum) ? BigInt(maximum) : most,
  };
}

/** Whether an integer is within its schema's bounds. */
export function compileRange(schema: Schema): (value: bigint) => boolean {
  const { min, max } = bounds(schema);
  return (value) => value >= min && value <= max;
}

/** What would be right, to stand behind "must be". */
export function wording(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
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
  return [schema.type as string | readonly string[]].flat().map(withArticle).join(' or ');
}

function withArticle(type: string): string {
  return type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** The rules that the wording tells, which depends on the type. */
export function isWorded(rule: string, { type }: Schema): boolean {
  if (['type', 'enum', 'const', 'format'].includes(rule)) return true;
  return type === 'string' || (type === 'integer' && (rule === 'minimum' || rule === 'maximum'));
}
