/** Owns the options of every command: one table makes the flags, the environment, the help and the README's table. */

import { isTokenName, TOKEN_NAME_RULE } from '../auth/issue-token.ts';
import type { RateLimit } from '../auth/rate-limit.ts';
import { isSecureUrl } from '../auth/secure-url.ts';
import { isWellFormedToken, looksLikeJwt } from '../auth/token.ts';
import { LOG_LEVELS, type LogLevel } from '../observe/log.ts';
import { isStoreName, STORE_NAME_RULE } from '../plants/store-name.ts';
import type { Format } from '../transfer/input.ts';

/** Reads an option's text; throws an Error that says what would be right. */
type Read<T> = (text: string) => T;

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

function integer(min: number, max: number): Read<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new Error(`it must be an integer from ${min} to ${max}`);
  };
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time such as `500ms`, `10s`, `90d`, in milliseconds. */
export const duration: Read<number> = (text) => {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const value = Number(amount) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
  if (value > 0) return value;
  throw new Error('it must be a time such as 500ms, 10s, 5m or 90d');
};

/** A time within what a timer of Node can wait. */
const timeout: Read<number> = (text) => {
  const value = duration(text);
  if (value < 2 ** 31) return value;
  throw new Error('it must be a time of at most 24d');
};

const SIZES = { '': 1, KiB: 1_024, MiB: 1_048_576 } as const;

function size(min: number, max: number): Read<number> {
  return (text) => {
    const [, amount, unit] = /^(\d{1,10})(|KiB|MiB)$/.exec(text) ?? [];
    const value = Number(amount) * (SIZES[unit as keyof typeof SIZES] ?? Number.NaN);
    if (value >= min && value <= max) return value;
    throw new Error(`it must be a number of bytes from ${min} to ${max}, such as 64KiB`);
  };
}

const text: Read<string> = (value) => {
  if (value !== '') return value;
  throw new Error('it must not be empty');
};

const database: Read<string> = (value) => {
  if (/^sqlite:./.test(value) || /^postgres(ql)?:\/\/./.test(value)) return value;
  // The value may hold a password: it is never repeated.
  throw new Error('it must be sqlite:PATH or postgres://…');
};

const baseUrl: Read<string> = (value) => {
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol) && !/[?#@]/.test(value) && !value.endsWith('/')) return value;
  throw new Error('it must be an http or https URL without query, fragment, user and slash at the end');
};

const token: Read<string> = (value) => {
  if (!/^[A-Za-z0-9\-._~+/]{16,512}=*$/.test(value)) {
    throw new Error('it must be 16 to 512 characters of A-Z a-z 0-9 - . _ ~ + /');
  }
  // Both would be refused on every request: better said now.
  if (value.startsWith('pst_') && !isWellFormedToken(value)) throw new Error('its checksum is wrong');
  if (looksLikeJwt(value)) throw new Error('it must not look like a JWT, which has two dots');
  return value;
};

/** How long a token lives, in milliseconds. */
const lifetime: Read<number> = (text) => {
  const value = duration(text);
  if (value <= 36_500 * UNITS.d) return value;
  throw new Error('it must be a time of at most 36500d');
};

const words: Read<readonly string[]> = (value) => {
  const found = value.split(/[\s,]+/).filter(Boolean);
  if (found.length > 0) return [...new Set(found)].sort();
  throw new Error('it must not be empty');
};

const tokenName: Read<string> = (value) => {
  if (isTokenName(value)) return value;
  throw new Error(`it must be ${TOKEN_NAME_RULE}`);
};

const storeName: Read<string> = (value) => {
  if (isStoreName(value)) return value;
  throw new Error(`it must be ${STORE_NAME_RULE}`);
};

const issuer: Read<string> = (value) => {
  if (isSecureUrl(value) && !value.includes('?')) return value;
  throw new Error('it must be an https URL without query (http only on this machine)');
};

const keysUrl: Read<string> = (value) => {
  if (isSecureUrl(value)) return value;
  throw new Error('it must be an https URL (http only on this machine)');
};

const mediaType: Read<string> = (value) => {
  if (/^[\w.+/-]{1,64}$/.test(value)) return value;
  throw new Error('it must be a type such as at+jwt or JWT, or any');
};

const rateLimit: Read<RateLimit> = (value) => {
  const [, quota, amount, unit] = /^(\d{1,9})\/(\d{0,4})([smhd])$/.exec(value) ?? [];
  const window = (Number(amount || 1) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN)) / UNITS.s;
  // A timer of Node waits 24 days at the most.
  if (Number(quota) > 0 && window > 0 && window <= 86_400) return { quota: Number(quota), window };
  throw new Error('it must be a number of requests in a time of at most a day, such as 100/s, 1000/10m or 50000/d');
};

const hostPort: Read<{ readonly host: string; readonly port: number }> = (value) => {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(value) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new Error('it must be an address and a port, such as 127.0.0.1:9090 or [::1]:9090');
};

const onOff: Read<boolean> = (value) => {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw new Error('it must be true or false');
};

function oneOf<T extends string>(values: readonly T[]): Read<T> {
  return (value) => {
    const found = values.find((one) => one === value);
    if (found !== undefined) return found;
    throw new Error(`it must be one of ${values.join(', ')}`);
  };
}

const DATABASE = {
  read: database,
  value: 'URL',
  fallback: 'sqlite:data/plants.db',
  platform: 'DATABASE_URL',
  help: 'Where the plants are kept: sqlite:PATH, one file, or postgres://…',
} satisfies Option<string>;

/** The options of `plantstore serve`. */
export const serveOptions = {
  host: { read: text, value: 'ADDRESS', fallback: '127.0.0.1', help: 'Address to listen on' },
  port: {
    read: integer(0, 65_535),
    value: 'NUMBER',
    fallback: '8080',
    platform: 'PORT',
    help: 'Port to listen on; 0 takes a free one',
  },
  'reuse-port': {
    read: onOff,
    value: '',
    takes: 'nothing',
    fallback: 'false',
    help: 'Shares the port with other processes that do so too; the system spreads connections over them',
  },
  database: DATABASE,
  'database-connections': {
    read: integer(1, 1_000),
    value: 'NUMBER',
    fallback: '10',
    help: 'Connections to PostgreSQL that this process may open',
  },
  'database-timeout': {
    read: timeout,
    value: 'TIME',
    fallback: '5s',
    help: 'The longest that a request waits for PostgreSQL before it is answered 503 / 50300',
  },
  'base-url': {
    read: baseUrl,
    value: 'URL',
    fallback: undefined,
    help: 'What the description and every link begin with; its path is the prefix under which the service answers',
  },
  'no-docs': {
    read: onOff,
    value: '',
    takes: 'nothing',
    fallback: 'false',
    help: 'Serves no documentation page and no guide',
  },
  'tls-cert': {
    read: text,
    value: 'FILE',
    fallback: undefined,
    help: 'Certificate chain (PEM); with --tls-key serves HTTPS',
  },
  'tls-key': { read: text, value: 'FILE', fallback: undefined, help: 'Private key (PEM)' },
  token: {
    read: token,
    value: 'TOKEN',
    fallback: undefined,
    secret: true,
    help: 'A fixed token with every scope on the store default, for containers and CI',
  },
  'jwt-issuer': {
    read: issuer,
    value: 'URL',
    fallback: undefined,
    help: 'Accepts JWT access tokens of this issuer, beside opaque tokens; goes with --jwt-audience',
  },
  'jwt-audience': { read: text, value: 'NAME', fallback: undefined, help: 'What must be among the aud of a JWT' },
  'jwks-url': {
    read: keysUrl,
    value: 'URL',
    fallback: undefined,
    help: "Where the issuer's keys are; found by OpenID Connect Discovery unless given",
  },
  'jwt-typ': {
    read: mediaType,
    value: 'TYPE',
    fallback: 'at+jwt',
    help: 'The typ of a JWT; JWT for issuers that write no other, any to accept all',
  },
  'rate-limit': {
    read: rateLimit,
    value: 'RATE',
    fallback: undefined,
    help: 'Requests a credential may make, such as 100/s or 1000/10m; no limit unless given',
  },
  'max-body': { read: size(1, 64 * 2 ** 20), value: 'SIZE', fallback: '64KiB', help: 'Largest request body' },
  'max-header': {
    read: size(1_024, 2 ** 20),
    value: 'SIZE',
    fallback: '16KiB',
    help: 'Largest request line and header fields',
  },
  'request-timeout': { read: timeout, value: 'TIME', fallback: '10s', help: 'Time for a request to arrive' },
  'max-connections': { read: integer(1, 1_000_000), value: 'NUMBER', fallback: '10000', help: 'Connections at once' },
  'max-queue': {
    read: integer(1, 10_000_000),
    value: 'NUMBER',
    fallback: '10000',
    help: 'Writes that may wait for their commit; one more is answered 503 / 50301',
  },
  'drain-timeout': {
    read: timeout,
    value: 'TIME',
    fallback: '10s',
    help: 'Time for requests under way to finish when the service is stopped',
  },
  admin: {
    read: hostPort,
    value: 'ADDRESS:PORT',
    fallback: undefined,
    help: 'Where Prometheus reads /metrics; it needs no credential, so it must not be open to the world',
  },
  'slow-request': {
    read: timeout,
    value: 'TIME',
    fallback: '1s',
    help: 'Requests that take longer are logged',
  },
  'access-log': { read: onOff, value: '', takes: 'nothing', fallback: 'false', help: 'Logs every request' },
  'log-level': {
    read: oneOf<LogLevel>(LOG_LEVELS),
    value: 'LEVEL',
    fallback: 'info',
    help: `What is logged: ${LOG_LEVELS.join(', ')}`,
  },
} satisfies Record<string, Option<unknown>>;

const JSON_SWITCH = {
  read: onOff,
  value: '',
  takes: 'nothing',
  fallback: 'false',
  help: 'Prints JSON',
} satisfies Option<boolean>;

/** The options of `plantstore token create`. */
export const tokenCreateOptions = {
  database: DATABASE,
  name: { read: tokenName, value: 'NAME', fallback: undefined, help: 'What to call it; made of its id unless given' },
  scope: {
    read: words,
    value: 'SCOPE',
    takes: 'list',
    fallback: undefined,
    help: 'What it may do, such as plants:read plants:write; every scope of the description unless given',
  },
  expires: {
    read: lifetime,
    value: 'TIME',
    fallback: undefined,
    help: 'How long it lives, such as 90d; never expires unless given',
  },
  store: { read: storeName, value: 'NAME', fallback: 'default', help: 'The store that it belongs to' },
  json: JSON_SWITCH,
} satisfies OptionTable;

/** The options of `plantstore token list`. */
export const tokenListOptions = { database: DATABASE, json: JSON_SWITCH } satisfies OptionTable;

/** The options of `plantstore token revoke`. */
export const tokenRevokeOptions = { database: DATABASE } satisfies OptionTable;

const STORE = {
  read: storeName,
  value: 'NAME',
  fallback: 'default',
  help: 'The store that the plants belong to',
} as const;
const FORMAT = {
  read: oneOf<Format>(['ndjson', 'csv']),
  value: 'FORMAT',
  fallback: undefined,
  help: 'ndjson or csv; unless given, what the name of the file ends with, and ndjson where that says nothing',
} as const;

/** The options of `plantstore import`. */
export const importOptions = {
  database: DATABASE,
  store: STORE,
  format: FORMAT,
  refused: {
    read: text,
    value: 'FILE',
    fallback: undefined,
    help: 'Where the lines that are no plants are told, each with its reason; standard error unless given',
  },
  restart: {
    read: onOff,
    value: '',
    takes: 'nothing',
    fallback: 'false',
    help: 'Begins at the first line, even where an import of this file was cut off',
  },
} satisfies Record<string, Option<unknown>>;

/** The options of `plantstore export`. */
export const exportOptions = { database: DATABASE, store: STORE, format: FORMAT } satisfies Record<
  string,
  Option<unknown>
>;

/** The options of `plantstore backup` and `plantstore check`. */
export const databaseOptions = { database: DATABASE } satisfies Record<string, Option<unknown>>;

export type ServeConfig = ConfigOf<typeof serveOptions>;

export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** The values of an option table; an option without a default may be undefined. */
export type ConfigOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { fallback: string; read: Read<infer T> }
    ? T
    : Table[Name] extends { read: Read<infer T> }
      ? T | undefined
      : never;
};

/** `--base-url` is also PLANTSTORE_BASE_URL. */
export function variableOf(name: string): string {
  return `PLANTSTORE_${name.toUpperCase().replaceAll('-', '_')}`;
}
