/** A value within a description, together with its place, which the messages about it name. */

/** Keywords without a rule. Only they are allowed beside a `$ref`, since `follow` ignores everything beside it. */
export const WORDS = 'title summary description examples example externalDocs deprecated $comment';

export class Place {
  readonly document: unknown;
  readonly value: unknown;
  /** The JSON pointer to the value as a URI fragment. */
  readonly at: string;
  readonly #file: string;

  constructor(file: string, document: unknown, value: unknown, at: string) {
    this.#file = file;
    this.document = document;
    this.value = value;
    this.at = at;
  }

  refuse(rule: string): never {
    throw new Error(`${this.#file}, ${decodeURIComponent(this.at)}: ${rule}`);
  }

  get members(): { readonly [name: string]: unknown } {
    if (typeof this.value === 'object' && this.value !== null) return this.value as never;
    return this.refuse('there must be an object');
  }

  has(name: string): boolean {
    return Object.hasOwn(this.members, name);
  }

  get(name: string): Place {
    return this.#to(this.has(name) ? this.members[name] : undefined, `${this.at}/${token(name)}`);
  }

  entries(): [name: string, Place][] {
    return Object.keys(this.members).map((name) => [name, this.get(name)]);
  }

  /** Returns the items of a list, with references followed. Empty if the list is absent. */
  list(): Place[] {
    if (this.value === undefined) return [];
    if (!Array.isArray(this.value)) return this.refuse('there must be a list');
    return this.entries().map(([, item]) => item.follow());
  }

  /** Refuses members other than these names and extensions. */
  only(names: string): this {
    const known = names.split(' ');
    const other = Object.keys(this.members).find((name) => !known.includes(name) && !name.startsWith('x-'));
    return other === undefined ? this : this.get(other).refuse(`${other} is not implemented here`);
  }

  /** Returns the target of a local reference (`#/components/…`), or this place if it is no reference. */
  follow(through: readonly string[] = []): Place {
    const ref = (this.value as { readonly $ref?: unknown } | null | undefined)?.$ref;
    if (typeof ref !== 'string') return this;
    const known = ['$ref', ...WORDS.split(' ')];
    const rule = Object.keys(this.members).find((name) => !known.includes(name) && !name.startsWith('x-'));
    if (rule !== undefined) this.refuse(`beside a $ref ${rule} is not implemented here`);
    const target = lookUp(this.document, ref);
    if (target === undefined) this.refuse(`there is no ${ref}`);
    if (through.includes(ref)) this.refuse('the reference leads to itself');
    return this.#to(target, ref).follow([...through, ref]);
  }

  /** The same place with another value. */
  as(value: unknown): Place {
    return this.#to(value, this.at);
  }

  #to(value: unknown, at: string): Place {
    return new Place(this.#file, this.document, value, at);
  }
}

/** Writes a name for a JSON pointer that is a URI fragment (RFC 6901, section 6). */
function token(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function lookUp(document: unknown, ref: string): unknown {
  const [whole, ...tokens] = ref.split('/');
  if (whole !== '#') return undefined;
  try {
    const names = tokens.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
    return names.reduce((at, name) => (at as Record<string, unknown>)[name], document);
  } catch {
    // The reference is no URI, or a part of its path does not exist.
    return undefined;
  }
}
