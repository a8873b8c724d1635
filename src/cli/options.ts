/** Owns the options of every command: one table makes the flags, the environment, the help and the README's table. */
import { LOG_LEVELS, type LogLevel } from '../observe/log.ts';
import type { Format } from '../transfer/input.ts';
import type { ConfigOf, Option, OptionTable } from './option.ts';
import {
  baseUrl,
  database,
  hostPort,
  integer,
  issuer,
  keysUrl,
  lifetime,
  mediaType,
  oneOf,
  onOff,
  rateLimit,
  size,
  storeName,
  text,
  timeout,
  token,
  tokenName,
  words,
} from './values.ts';

const DATABASE = {
  read: database,
  value: 'URL',
  fallback: 'sqlite:data/plants.db',
  platform: 'DATABASE_URL',
  help: 'Where the plants are kept: sqlite:PATH (one file) or postgres://…',
} satisfies Option<string>;

const SWITCH = { read: onOff, value: '', takes: 'nothing', fallback: 'false' } as const;

/** The options of `plantstore serve`. */
export const serveOptions = {
  host: { read: text, value: 'ADDRESS', fallback: '127.0.0.1', help: 'Address to listen on' },
  port: {
    read: integer(0, 65_535),
    value: 'NUMBER',
    fallback: '8080',
    platform: 'PORT',
    help: 'Port to listen on; 0 picks a free one',
  },
  reusePort: {
    ...SWITCH,
    help: 'Shares the port with other processes that do the same; the system spreads connections over them',
  },
  database: DATABASE,
  databaseConnections: {
    read: integer(1, 1_000),
    value: 'NUMBER',
    fallback: '10',
    help: 'Connections to PostgreSQL that this process may open',
  },
  databaseTimeout: {
    read: timeout,
    value: 'TIME',
    fallback: '5s',
    help: 'Longest time that a request waits for PostgreSQL before it is answered 503 / 50300',
  },
  baseUrl: {
    read: baseUrl,
    value: 'URL',
    fallback: undefined,
    help: 'What the description and every link begin with; its path is the prefix under which the service answers',
  },
  noDocs: { ...SWITCH, help: 'Serves neither the documentation page nor the guide' },
  tlsCert: {
    read: text,
    value: 'FILE',
    fallback: undefined,
    help: 'Certificate chain (PEM); together with --tls-key, it serves HTTPS',
  },
  tlsKey: { read: text, value: 'FILE', fallback: undefined, help: 'Private key (PEM)' },
  token: {
    read: token,
    value: 'TOKEN',
    fallback: undefined,
    secret: true,
    help: 'A fixed token with every scope for the store named default, for containers and CI',
  },
  jwtIssuer: {
    read: issuer,
    value: 'URL',
    fallback: undefined,
    help: 'Accepts JWT access tokens from this issuer as well as opaque tokens; needs --jwt-audience',
  },
  jwtAudience: { read: text, value: 'NAME', fallback: undefined, help: 'What the aud of a JWT must be or include' },
  jwksUrl: {
    read: keysUrl,
    value: 'URL',
    fallback: undefined,
    help: "Where the issuer's keys are; found by OpenID Connect Discovery unless given",
  },
  jwtTyp: {
    read: mediaType,
    value: 'TYPE',
    fallback: 'at+jwt',
    help: 'The typ that a JWT must have; JWT for issuers that use no other, any to accept all',
  },
  rateLimit: {
    read: rateLimit,
    value: 'RATE',
    fallback: undefined,
    help: 'Requests a credential may make, such as 100/s or 1000/10m; no limit unless given',
  },
  maxBody: { read: size(1, 64 * 2 ** 20), value: 'SIZE', fallback: '64KiB', help: 'Largest request body' },
  maxHeader: {
    read: size(1_024, 2 ** 20),
    value: 'SIZE',
    fallback: '16KiB',
    help: 'Largest request line and header fields',
  },
  requestTimeout: { read: timeout, value: 'TIME', fallback: '10s', help: 'Time for a request to arrive' },
  maxConnections: { read: integer(1, 1_000_000), value: 'NUMBER', fallback: '10000', help: 'Connections at once' },
  maxQueue: {
    read: integer(1, 10_000_000),
    value: 'NUMBER',
    fallback: '10000',
    help: 'Writes that may wait for their commit; further ones are answered 503 / 50301',
  },
  maxUnread: {
    // The longest answer there is, 1,000 plants of the longest texts, has 12 MB.
    read: size(16 * 2 ** 20, 2 ** 40),
    value: 'SIZE',
    fallback: '128MiB',
    help: 'Total size of long answers (over 64 KiB) that may wait for their callers; further ones are answered 503 / 50301',
  },
  drainTimeout: {
    read: timeout,
    value: 'TIME',
    fallback: '10s',
    help: 'Time for requests in progress to finish when the service is stopped',
  },
  admin: {
    read: hostPort,
    value: 'ADDRESS:PORT',
    fallback: undefined,
    help: 'Where Prometheus reads /metrics; it needs no credential, so never expose it to the world',
  },
  slowRequest: {
    read: timeout,
    value: 'TIME',
    fallback: '1s',
    help: 'Requests that take longer than this are logged',
  },
  accessLog: { ...SWITCH, help: 'Logs every request' },
  logLevel: {
    read: oneOf<LogLevel>(LOG_LEVELS),
    value: 'LEVEL',
    fallback: 'info',
    help: `What is logged: ${LOG_LEVELS.join(', ')}`,
  },
} satisfies OptionTable;

const JSON_SWITCH = { ...SWITCH, help: 'Prints JSON' };

/** The options of `plantstore token create`. */
export const tokenCreateOptions = {
  database: DATABASE,
  name: {
    read: tokenName,
    value: 'NAME',
    fallback: undefined,
    help: 'What to call it; named after its id unless given',
  },
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
    help: 'How long it is valid, such as 90d; it never expires unless given',
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
  help: 'ndjson or csv; unless given, taken from the ending of the file name, or else ndjson',
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
    help: 'Where to list the lines that were refused, each with its reason; standard error unless given',
  },
  restart: {
    ...SWITCH,
    help: 'Begins at the first line, even if an import of this file was cut off',
  },
} satisfies OptionTable;

/** The options of `plantstore export`. */
export const exportOptions = { database: DATABASE, store: STORE, format: FORMAT } satisfies OptionTable;

/** The options of `plantstore backup` and `plantstore check`. */
export const databaseOptions = { database: DATABASE } satisfies OptionTable;

export type ServeConfig = ConfigOf<typeof serveOptions>;
