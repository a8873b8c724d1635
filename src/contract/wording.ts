/** Owns what a schema asks for: its integer bounds exactly, and its rule in words. */
import type { Schema } from './document.ts';
import { INT64_MAX, INT64_MIN } from './integer.ts';

/** Bounds of an integer schema. As a double, int64's maximum reads 2^63: where a bound is unsafe, the format rules. */
function bounds({ minimum, maximum }: Schema): { min: bigint; max: bigint } {
  return {
    min: minimum !== undefined && Number.isSafeInteger(minimum) ? BigInt(minimum) : INT64_MIN,
    max: maximum !== undefined && Number.isSafeInteger(maximum) ? BigInt(maximum) : INT64_MAX,
  };
}

export function inRange(schema: Schema, value: bigint): boolean {
  const { min, max } = bounds(schema);
  return value >= min && value <= max;
}

/** What would be right, to stand behind "must be". */
export function wording(schema: Schema): string {
  if (schema.type === 'integer') {
    const { min, max } = bounds(schema);
    return `an integer from ${min} to ${max}`;
  }
  if (schema.type === 'string') {
    // A pattern is for machines; where the description says the same to people, that is the better rule.
    if (schema.pattern !== undefined && schema.description !== undefined) {
      return `a string: ${schema.description.replace(/\.$/, '')}`;
    }
    const length = schema.maxLength === undefined ? '' : ` of at most ${schema.maxLength} characters`;
    const pattern = schema.pattern === undefined ? '' : ` that matches ${schema.pattern}`;
    return `a string${schema.minLength === 1 ? ' that is not empty' : ''}${length}${pattern}`;
  }
  return schema.type === undefined ? 'what the schema describes' : `an ${schema.type}`;
}
