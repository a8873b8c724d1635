/** The options of `plantstore serve`, and the options that several commands share. */
import type { ServeConfig } from '../config.ts';
import { LOG_LEVELS, type LogLevel } from '../observe/log.ts';
import type { Format } from '../transfer/input.ts';
import type { Option, OptionsOf } from './command-line.ts';
import {
  addresses,
  baseUrl,
  database,
  defectName,
  hostPort,
  integer,
  issuer,
  keysUrl,
  lifetime,
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

export const DATABASE = {
  read: database,
  value: 'URL',
  default: 'sqlite:data/plants.db',
  platform: 'DATABASE_URL',
  help: 'Where the plants are stored: sqlite:PATH (one file) or a postgres:// URL.',
} satisfies Option<string>;

export const STORE = {
  read: storeName,
  value: 'NAME',
  default: 'default',
  help: 'The store that the plants belong to.',
} satisfies Option<string>;

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
  host: { read: text, value: 'ADDRESS', default: '127.0.0.1', help: 'Address to listen on.' },
  port: {
    read: integer(0, 65_535),
    value: 'NUMBER',
    default: '8080',
    platform: 'PORT',
    help: 'Port to listen on. 0 picks a free port.',
  },
  reusePort: {
    ...SWITCH,
    help: 'Shares the port with other processes that use this option. The system spreads connections over them.',
  },
  database: {
    ...DATABASE,
    read: serviceDatabase,
    help: 'Where the plants are stored: sqlite:PATH (one file), a postgres:// URL, or temporary (deleted at the end).',
  },
  databaseConnections: {
    read: integer(1, 1_000),
    value: 'NUMBER',
    default: '10',
    help: 'Maximum number of connections to PostgreSQL from this process.',
  },
  databaseTimeout: {
    read: timeout,
    value: 'TIME',
    default: '5s',
    help: 'Longest time that a request waits for PostgreSQL. After that it gets 503 / 50300.',
  },
  baseUrl: {
    read: baseUrl,
    value: 'URL',
    help: 'URL that the description and every link begin with. Its path is the prefix of all paths of the service.',
  },
  noDocs: { ...SWITCH, help: 'Serves neither the documentation page nor the guide.' },
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
  jwtAudience: { read: text, value: 'NAME', help: 'Value that the aud claim of a JWT must be or contain.' },
  jwksUrl: {
    read: keysUrl,
    value: 'URL',
    help: "URL of the issuer's key set. Default: found by OpenID Connect Discovery.",
  },
  jwtTyp: {
    read: mediaType,
    value: 'TYPE',
    default: 'at+jwt',
    help: 'Required typ header of a JWT: at+jwt, JWT (for issuers that set only that) or any.',
  },
  rateLimit: {
    read: rateLimit,
    value: 'RATE',
    help: 'Requests that one credential may send, such as 100/s or 1000/10m. Default: no limit.',
  },
  maxBody: {
    // Measured: reading 1 MiB of `[{},{},…]`, or of distinct keys, blocked all other clients for 50 to 150 ms.
    read: size(1, 512 * 2 ** 10),
    value: 'SIZE',
    default: '64KiB',
    help: 'Largest request body (at most 512KiB).',
  },
  maxHeader: {
    read: size(1_024, 2 ** 20),
    value: 'SIZE',
    default: '16KiB',
    help: 'Largest size of the request line and the header fields together.',
  },
  requestTimeout: {
    read: timeout,
    value: 'TIME',
    default: '10s',
    help: 'Longest time for a request to arrive, and for a client to read the next part of its response.',
  },
  maxConnections: {
    read: integer(1, 1_000_000),
    value: 'NUMBER',
    default: '10000',
    help: 'Maximum number of connections at the same time.',
  },
  maxQueue: {
    read: integer(1, 10_000_000),
    value: 'NUMBER',
    default: '10000',
    help: 'Maximum number of writes that wait for their commit. Further writes get 503 / 50301.',
  },
  maxUnread: {
    // The longest response there is, 1,000 plants with the longest texts, has 12 MB.
    read: size(16 * 2 ** 20, 2 ** 40),
    value: 'SIZE',
    default: '128MiB',
    help: 'Total size of responses over 64 KiB that may wait for their clients. Further requests get 503 / 50301.',
  },
  drainTimeout: {
    read: timeout,
    value: 'TIME',
    default: '10s',
    help: 'Longest time for accepted requests to finish when the service stops.',
  },
  admin: {
    read: hostPort,
    value: 'ADDRESS:PORT',
    help: 'Where Prometheus reads /metrics. It needs no credential, so never expose it to the internet.',
  },
  sandboxes: {
    read: integer(1, 1_000_000),
    value: 'NUMBER',
    help: 'Lets anyone create sandboxes, up to this number at the same time. Default: none, or 100 with --demo.',
  },
  sandboxesPerAddress: {
    read: integer(1, 1_000_000),
    value: 'NUMBER',
    default: '50',
    help: 'Maximum number of sandboxes that one address may have at the same time.',
  },
  sandboxTtl: { read: lifetime, value: 'TIME', default: '24h', help: 'Longest lifetime of a sandbox.' },
  sandboxPlants: {
    read: integer(1, 1_000_000),
    value: 'NUMBER',
    default: '1000',
    help: 'Maximum number of plants in a sandbox.',
  },
  trustProxy: {
    read: addresses,
    value: 'ADDRESS',
    list: true,
    help: 'Proxies whose X-Forwarded-For is trusted: addresses, or networks such as 10.0.0.0/8.',
  },
  defect: {
    read: defectName,
    value: 'NAME',
    help:
      'Makes the service wrong in one known way, for API testers to find (plantstore defects lists the names). ' +
      'none: the service is correct, but counts requests for the grader.',
  },
  slowRequest: { read: timeout, value: 'TIME', default: '1s', help: 'Logs requests that take longer than this.' },
  accessLog: {
    read: onOff,
    help: 'Logs every request. Default: true with --demo or if standard error is a terminal, else false.',
  },
  logLevel: {
    read: oneOf<LogLevel>(LOG_LEVELS),
    value: 'LEVEL',
    default: 'info',
    help: `Lowest level that is logged: ${LOG_LEVELS.join(', ')}.`,
  },
} satisfies OptionsOf<ServeConfig>;
