/** Owns what an option is, and how its name and its values follow from the table it stands in. */

/** Reads an option's text; throws an Error that says what would be right. */
export type Read<T> = (text: string) => T;

export interface Option<T> {
  readonly read: Read<T>;
  /** As it would be written; undefined: the option has no default. */
  readonly fallback: string | undefined;
  readonly value: string;
  readonly help: string;
  /** What follows the flag, where it is not one value: `nothing` for a switch, any number of words for a `list`. */
  readonly takes?: 'nothing' | 'list';
  /** A variable that platforms set, which stands in where neither the flag nor ours is given. */
  readonly platform?: string;
  /** Only in the environment: a secret on a command line can be read by every user of the machine. */
  readonly secret?: boolean;
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** The values of an option table; an option without a default may be undefined. */
export type ConfigOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { fallback: string; read: Read<infer T> }
    ? T
    : Table[Name] extends { read: Read<infer T> }
      ? T | undefined
      : never;
};

/** The flag of `baseUrl` is `base-url`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The variable of `baseUrl` is PLANTSTORE_BASE_URL. */
export function variableOf(name: string): string {
  return `PLANTSTORE_${flagOf(name).toUpperCase().replaceAll('-', '_')}`;
}
