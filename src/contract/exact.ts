/** Owns the value that a handler gets: int64 exactly as it was written, and nothing that the schema does not name. */
import type { Json, Schema } from './document.ts';
import { integerOf } from './integer.ts';
import { compileRange, wording } from './wording.ts';

/** A valid value and how its numbers were written. */
export interface Source {
  /** True when some number of the text may be more than its double says. */
  readonly mayRound: boolean;
  /** The whole text's value with every number as its source text; made when it is first asked for. */
  text(): Json;
}

/**
 * Rebuilds a value, and adds to `faults` what is no integer after all. What Ajv has refused it passes over, so that the
 * faults which only the source text shows are found beside those.
 */
type Rebuild = (value: Json, source: Source, faults: string[]) => unknown;

/** A step towards a value: a member's name, or a position in a list, which changes while the list is rebuilt. */
interface Step {
  at: string | number;
}

/** Compiles a schema; `follow` resolves references, `path` leads to the value from the top of the body. */
export function compileExact(schema: Schema, follow: (schema: Schema) => Schema, path: readonly Step[] = []): Rebuild {
  if (schema.type === 'integer') return compileInteger(schema, path);
  if (schema.items !== undefined) return compileList(schema.items, follow, path);
  if (schema.properties === undefined) return (value) => value;
  const members = Object.entries(schema.properties).map(([name, node]) => {
    const member = follow(node);
    return [name, compileExact(member, follow, [...path, { at: name }]), fallbackOf(member)] as const;
  });
  return (value, source, faults) => {
    if (typeof value !== 'object' || value === null) return value;
    const object = value as { readonly [name: string]: Json };
    const result: Record<string, unknown> = {};
    for (const [name, rebuild, fallback] of members) {
      if (Object.hasOwn(object, name)) result[name] = rebuild(object[name] as Json, source, faults);
      else if (fallback !== undefined) result[name] = fallback;
    }
    return result;
  };
}

/** The value of a parameter or member that is not given, as a handler gets it. */
export function fallbackOf({ format, default: value }: Schema): unknown {
  return format === 'int64' && typeof value === 'number' ? BigInt(value) : value;
}

function compileList(items: Schema, follow: (schema: Schema) => Schema, path: readonly Step[]): Rebuild {
  const step: Step = { at: 0 };
  const rebuild = compileExact(follow(items), follow, [...path, step]);
  return (value, source, faults) => {
    if (!Array.isArray(value)) return value;
    return value.map((item: Json, position) => {
      step.at = position;
      return rebuild(item, source, faults);
    });
  };
}

/** A fraction that the double has lost makes another number no integer as well. */
function compileInteger(schema: Schema, path: readonly Step[]): Rebuild {
  const inRange = compileRange(schema);
  const isWide = schema.format === 'int64';
  return (value, source, faults) => {
    if (typeof value !== 'number') return undefined;
    const integer = !source.mayRound && Number.isSafeInteger(value) ? BigInt(value) : integerOf(sourceAt(source, path));
    if (integer !== undefined && inRange(integer)) return isWide ? integer : Number(integer);
    faults.push(`${path.map(({ at }) => at).join('.')} must be ${wording(schema)}`);
    return undefined;
  };
}

function sourceAt(source: Source, path: readonly Step[]): string {
  return path.reduce(
    (node, { at }) => (node as { readonly [name: string]: Json })[at] as Json,
    source.text(),
  ) as string;
}
