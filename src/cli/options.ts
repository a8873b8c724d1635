/** The options of every `plantstore serve`, and the parts of options that several tables share. */
import type { ServeConfig } from '../config.ts';
import { LOG_LEVELS, type LogLevel } from '../observe/log.ts';
import type { Format } from '../transfer/recognise.ts';
import type { Option, OptionReader, OptionsOf } from './command-line.ts';
import {
  addresses,
  baseUrl,
  database,
  hostPort,
  idleTime,
  integer,
  issuer,
  keysUrl,
  mediaType,
  oneOf,
  onOff,
  rateLimit,
  serviceDatabase,
  size,
  storeName,
  text,
  timeout,
  token,
} from './values.ts';

/** A flag without a value. */
export const SWITCH = { read: onOff, default: 'false' } as const;
export const JSON_SWITCH = { ...SWITCH, help: 'Prints JSON.' };
export const FORCE = { ...SWITCH, help: 'Replaces the file if it exists.' };

export const withDefault = <T>(read: OptionReader<T>, value: string, fallback: string, help: string) => {
  return { read, value, default: fallback, help };
};
export const number = (min: number, max: number, fallback: string, help: string) =>
  withDefault(integer(min, max), 'NUMBER', fallback, help);
export const time = (fallback: string, help: string) => withDefault(timeout, 'TIME', fallback, help);

export const DATABASE = {
  read: database,
  value: 'URL',
  default: 'sqlite:data/plants.db',
  platform: 'DATABASE_URL',
  help: 'Where the plants are stored: sqlite:PATH (one file) or a postgres:// URL.',
} satisfies Option<string>;

export const STORE = withDefault(storeName, 'NAME', 'default', 'Name of the store.');

export const FORMAT = {
  read: oneOf<Format>(['ndjson', 'csv']),
  value: 'FORMAT',
  help: 'ndjson or csv. Default: by the ending of the file name, else ndjson.',
} satisfies Option<Format>;

export const serveOptions = {
  demo: {
    ...SWITCH,
    excludes: ['database', 'token', 'tlsCert', 'tlsKey', 'jwtIssuer', 'jwtAudience', 'jwksUrl', 'jwtTyp'],
    help: 'Runs a demo: a temporary database with about 50 plants, the token demo, and every request logged.',
  },
  host: withDefault(text, 'ADDRESS', '127.0.0.1', 'Address to listen on.'),
  port: { ...number(0, 65_535, '8080', 'Port to listen on. 0 picks a free port.'), platform: 'PORT' },
  reusePort: {
    ...SWITCH,
    help: 'Shares the port with other processes that use this option. The system spreads connections over them.',
  },
  database: {
    ...DATABASE,
    read: serviceDatabase,
    help: 'Where the plants are stored: sqlite:PATH (one file), a postgres:// URL, or temporary (deleted at the end).',
  },
  databaseConnections: number(1, 1_000, '10', 'Maximum number of connections to PostgreSQL from this process.'),
  databaseTimeout: time('5s', 'Longest time that a request waits for PostgreSQL. After that it gets 503 / 50300.'),
  baseUrl: {
    read: baseUrl,
    value: 'URL',
    help:
      'Address that clients use, in the description and in every link. ' +
      'Its path is the prefix of all paths of the service.',
  },
  noDocs: { ...SWITCH, help: 'Serves neither the reference nor the guide.' },
  tlsCert: { read: text, value: 'FILE', help: 'Certificate chain (PEM). Together with --tls-key it turns on HTTPS.' },
  tlsKey: { read: text, value: 'FILE', help: 'Private key (PEM).' },
  token: {
    read: token,
    value: 'TOKEN',
    secret: true,
    help: 'A fixed token with every scope on the store named default, for containers and CI.',
  },
  jwtIssuer: {
    read: issuer,
    value: 'URL',
    help: 'Accepts JWT access tokens from this issuer as well as opaque tokens. Needs --jwt-audience.',
  },
  jwtAudience: { read: text, value: 'NAME', help: 'Required value in the aud claim of a JWT.' },
  jwksUrl: {
    read: keysUrl,
    value: 'URL',
    help: "URL of the issuer's key set. Default: found by OpenID Connect Discovery.",
  },
  jwtTyp: withDefault(
    mediaType,
    'TYPE',
    'at+jwt',
    'Required typ header of a JWT: at+jwt, JWT (for issuers that set only that) or any.',
  ),
  rateLimit: {
    read: rateLimit,
    value: 'RATE',
    help: 'Requests that one credential may send, such as 100/s or 1000/10m. Default: no limit.',
  },
  // Measured: reading 1 MiB of `[{},{},…]`, or of distinct keys, blocked all other clients for 50 to 150 ms.
  maxBody: withDefault(size(1, 512 * 2 ** 10), 'SIZE', '64KiB', 'Largest request body (at most 512KiB).'),
  maxHeader: withDefault(size(1_024, 2 ** 20), 'SIZE', '16KiB', 'Largest request line and header fields, in total.'),
  requestTimeout: time('10s', 'Longest time for a request to arrive, and longest pause in reading its response.'),
  // Longer than the idle time of common proxies, which then close first: no request arrives on a closing connection.
  idleTimeout: withDefault(idleTime, 'TIME', '65s', 'How long a connection is kept for its next request (1s to 1d).'),
  maxConnections: number(1, 1_000_000, '10000', 'Maximum number of connections at the same time.'),
  // A quarter of all connections.
  maxConnectionsPerAddress: number(
    1,
    1_000_000,
    '2500',
    'Maximum number of connections from one address, or from one IPv6 site (/48), at the same time.',
  ),
  maxQueue: number(1, 10_000_000, '10000', 'Maximum number of writes waiting for a commit. Others get 503 / 50301.'),
  // The longest response there is, 1,000 plants with the longest texts, has 12 MB.
  maxUnread: withDefault(
    size(16 * 2 ** 20, 2 ** 40),
    'SIZE',
    '128MiB',
    'Total size of responses over 64 KiB and bodies over 8 KiB that wait for their clients. Others get 503 / 50301.',
  ),
  drainTimeout: time('10s', 'Longest time for accepted requests to finish when the service stops.'),
  admin: {
    read: hostPort,
    value: 'ADDRESS:PORT',
    help: 'Address of /metrics for Prometheus. It needs no credential, so never expose it to the internet.',
  },
  trustProxy: {
    read: addresses,
    value: 'ADDRESS',
    list: true,
    help:
      'Proxies whose X-Forwarded-For is trusted: addresses, or networks such as 10.0.0.0/8. ' +
      '--max-connections-per-address does not apply to them.',
  },
  slowRequest: time('1s', 'Logs requests that take longer than this.'),
  accessLog: {
    read: onOff,
    help: 'Logs every request. Default: true with --demo or if standard error is a terminal, else false.',
  },
  logLevel: withDefault(oneOf<LogLevel>(LOG_LEVELS), 'LEVEL', 'info', `Lowest logged level: ${LOG_LEVELS.join(', ')}.`),
} satisfies OptionsOf<ServeConfig>;
