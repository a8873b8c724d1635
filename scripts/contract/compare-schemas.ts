/** Compares the schemas of two descriptions. A request must not allow less, and a response must not allow more. */
import { type Description, type Json, list, type Node, node, type Report } from './description.ts';

/** Whether a schema describes what clients send, or what the service sends to them. */
export type Direction = 'request' | 'response';

/** Keywords that allow more if their number is greater, and keywords that allow less. */
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
/**
 * Keywords whose values have no order. Any change of them counts as breaking, except that a request's pattern may get
 * an alternative behind it.
 */
const OPAQUE = ['format', 'pattern', 'multipleOf', 'uniqueItems', 'contentEncoding', 'contentMediaType'];
const BRANCHES = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'prefixItems', 'patternProperties'];

export class SchemaComparison {
  readonly #before: Description;
  readonly #after: Description;
  readonly #report: Report;

  constructor(before: Description, after: Description, report: Report) {
    this.#before = before;
    this.#after = after;
    this.#report = report;
  }

  compare(before: Json, after: Json, direction: Direction, where: string, seen: readonly Json[] = []): void {
    if (seen.includes(before)) return;
    const old = this.#before.read(before ?? {});
    const next = this.#after.read(after ?? {});
    const report = (what: string) => this.#report(where, what);
    this.#values(old, next, direction, report);
    this.#bounds(old, next, direction, report);
    const isLooser = direction === 'request' && String(next['pattern']).startsWith(`${old['pattern']}|`);
    for (const keyword of OPAQUE) {
      if (differ(old[keyword], next[keyword]) && !(keyword === 'pattern' && isLooser)) report(`${keyword} changed`);
    }
    for (const keyword of BRANCHES)
      if (differ(old[keyword], next[keyword])) report(`${keyword} changed: compare by hand`);
    if (direction === 'request' && differ(old['default'], next['default'])) report('the default changed');
    const inner = [...seen, before];
    this.#members(old, next, direction, where, inner);
    if (old['items'] !== undefined || next['items'] !== undefined) {
      this.compare(old['items'], next['items'], direction, `${where}[]`, inner);
    }
  }

  /** Compares the sets of allowed types, constants and enumerations. */
  #values(old: Node, next: Node, direction: Direction, report: (what: string) => void): void {
    for (const [keyword, read] of [
      ['type', (schema: Node) => schema['type'] && [schema['type']].flat()],
      ['enum', (schema: Node) => ('const' in schema ? [schema['const']] : schema['enum'])],
    ] as const) {
      // A description may promise more values to come. Its clients have to expect values that they do not know.
      if (keyword === 'enum' && direction === 'response' && old['x-open-enum'] === true) continue;
      const [was, is] = [read(old), read(next)].map((set) => (set === undefined ? undefined : list(set)));
      const [small, large] = direction === 'request' ? [was, is] : [is, was];
      // Without the keyword everything is allowed.
      if (large !== undefined && !(small?.every((one) => large.some((other) => fits(one, other, keyword))) ?? false)) {
        report(direction === 'request' ? `${keyword} allows less` : `${keyword} allows more`);
      }
    }
  }

  #bounds(old: Node, next: Node, direction: Direction, report: (what: string) => void): void {
    const worse = (keyword: string, sign: 1 | -1) => {
      const [was, is] = [old[keyword], next[keyword]].map((bound) => (bound === undefined ? undefined : exact(bound)));
      const [small, large] = direction === 'request' ? [was, is] : [is, was];
      if (large === undefined) return;
      const holds = small !== undefined && (sign === 1 ? small <= large : small >= large);
      if (!holds) report(`${keyword} allows ${direction === 'request' ? 'less' : 'more'}`);
    };
    for (const keyword of UPPER) worse(keyword, 1);
    for (const keyword of LOWER) worse(keyword, -1);
  }

  #members(old: Node, next: Node, direction: Direction, where: string, seen: readonly Json[]): void {
    const was = list(old['required']);
    const is = list(next['required']);
    for (const name of direction === 'request' ? is : was) {
      if (direction === 'request' && !was.includes(name)) this.#report(where, `${name} became required`);
      if (direction === 'response' && !is.includes(name)) this.#report(where, `${name} is no longer promised`);
    }
    for (const [name, schema] of Object.entries(node(old['properties'] ?? {}))) {
      const same = node(next['properties'] ?? {})[name];
      if (same === undefined) this.#report(where, `${name} is gone`);
      else this.compare(schema, same, direction, `${where}.${name}`, seen);
    }
    const closed = (schema: Node) => schema['additionalProperties'] ?? schema['unevaluatedProperties'] ?? true;
    // If additional members were forbidden, a client may refuse a response with a new member.
    if (direction === 'response' && closed(old) === false) {
      const known = node(old['properties']);
      for (const name of Object.keys(node(next['properties'])))
        if (!(name in known)) this.#report(where, `${name} is new, but additional members were forbidden`);
    }
    if (differ(closed(old), closed(next))) {
      const loosened = closed(next) === true;
      if (loosened !== (direction === 'request')) this.#report(where, 'additional members changed');
    }
  }
}

/** Every integer is a number. */
function fits(one: Json, other: Json, keyword: string): boolean {
  return !differ(one, other) || (keyword === 'type' && one === 'integer' && other === 'number');
}

function exact(bound: Json): bigint | number {
  if (typeof bound === 'bigint' || typeof bound === 'number') return bound;
  throw new TypeError(`a bound must be a number, not ${JSON.stringify(bound)}`);
}

function differ(one: Json, other: Json): boolean {
  const text = (value: Json) => JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? `${item}n` : item));
  return text(one) !== text(other);
}
