/** The options of every command: one table makes the flags, the environment, the help and docs/options.md. */
import type { ServeConfig } from '../config.ts';
import type { Verdict } from '../grade/findings.ts';
import { LOG_LEVELS, type LogLevel } from '../observe/log.ts';
import type { Format } from '../transfer/input.ts';
import type { Option, Options, OptionsOf } from './command-line.ts';
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
  tokenName,
  words,
} from './values.ts';

const DATABASE = {
  read: database,
  value: 'URL',
  default: 'sqlite:data/plants.db',
  platform: 'DATABASE_URL',
  help: 'Where the plants are kept: sqlite:PATH (one file) or postgres://…',
} satisfies Option<string>;

const SWITCH = { read: onOff, default: 'false' } as const;

export const serveOptions = {
  demo: {
    ...SWITCH,
    excludes: ['database', 'token', 'tlsCert', 'tlsKey', 'jwtIssuer', 'jwtAudience', 'jwksUrl', 'jwtTyp'],
    help: 'Something to play with: a temporary database with some 50 plants, the token demo, and every request logged',
  },
  host: { read: text, value: 'ADDRESS', default: '127.0.0.1', help: 'Address to listen on' },
  port: {
    read: integer(0, 65_535),
    value: 'NUMBER',
    default: '8080',
    platform: 'PORT',
    help: 'Port to listen on; 0 picks a free one',
  },
  reusePort: {
    ...SWITCH,
    help: 'Shares the port with other processes that do the same; the system spreads connections over them',
  },
  database: {
    ...DATABASE,
    read: serviceDatabase,
    help: `${DATABASE.help}, or temporary: a file that is removed when the service ends`,
  },
  databaseConnections: {
    read: integer(1, 1_000),
    value: 'NUMBER',
    default: '10',
    help: 'Connections to PostgreSQL that this process may open',
  },
  databaseTimeout: {
    read: timeout,
    value: 'TIME',
    default: '5s',
    help: 'Longest time that a request waits for PostgreSQL before it gets 503 / 50300',
  },
  baseUrl: {
    read: baseUrl,
    value: 'URL',
    help: 'What the description and every link begin with; its path is the prefix of every path of the service',
  },
  noDocs: { ...SWITCH, help: 'Serves neither the documentation page nor the guide' },
  tlsCert: { read: text, value: 'FILE', help: 'Certificate chain (PEM); together with --tls-key, it serves HTTPS' },
  tlsKey: { read: text, value: 'FILE', help: 'Private key (PEM)' },
  token: {
    read: token,
    value: 'TOKEN',
    secret: true,
    help: 'A fixed token with every scope for the store named default, for containers and CI',
  },
  jwtIssuer: {
    read: issuer,
    value: 'URL',
    help: 'Accepts JWT access tokens from this issuer as well as opaque tokens; needs --jwt-audience',
  },
  jwtAudience: { read: text, value: 'NAME', help: 'What the aud of a JWT must be or include' },
  jwksUrl: {
    read: keysUrl,
    value: 'URL',
    help: "Where the issuer's keys are; found by OpenID Connect Discovery unless given",
  },
  jwtTyp: {
    read: mediaType,
    value: 'TYPE',
    default: 'at+jwt',
    help: 'The typ that a JWT must have; JWT for issuers that use no other, any to accept all',
  },
  rateLimit: {
    read: rateLimit,
    value: 'RATE',
    help: 'Requests a credential may make, such as 100/s or 1000/10m; no limit unless given',
  },
  maxBody: {
    // Measured: 1 MiB of `[{},{},…]`, or of distinct keys, took 50 to 150 ms, in which no other client got a response.
    read: size(1, 512 * 2 ** 10),
    value: 'SIZE',
    default: '64KiB',
    help: 'Largest request body, 512KiB at most: reading a longer one would keep other clients waiting for 100 ms',
  },
  maxHeader: {
    read: size(1_024, 2 ** 20),
    value: 'SIZE',
    default: '16KiB',
    help: 'Largest request line and header fields',
  },
  requestTimeout: {
    read: timeout,
    value: 'TIME',
    default: '10s',
    help: 'Time for a request to arrive, and for a client to read some of its response',
  },
  maxConnections: { read: integer(1, 1_000_000), value: 'NUMBER', default: '10000', help: 'Connections at once' },
  maxQueue: {
    read: integer(1, 10_000_000),
    value: 'NUMBER',
    default: '10000',
    help: 'Writes that may wait for their commit; further ones get 503 / 50301',
  },
  maxUnread: {
    // The longest response there is, 1,000 plants of the longest texts, has 12 MB.
    read: size(16 * 2 ** 20, 2 ** 40),
    value: 'SIZE',
    default: '128MiB',
    help: 'Total size of long responses (over 64 KiB) that may wait for their clients; further ones get 503 / 50301',
  },
  drainTimeout: {
    read: timeout,
    value: 'TIME',
    default: '10s',
    help: 'Time for requests in progress to finish when the service is stopped',
  },
  admin: {
    read: hostPort,
    value: 'ADDRESS:PORT',
    help: 'Where Prometheus reads /metrics; it needs no credential, so never expose it to the world',
  },
  sandboxes: {
    read: integer(1, 1_000_000),
    value: 'NUMBER',
    help: 'Lets everybody make a store of their own, up to this many at once; none unless given, except with --demo',
  },
  sandboxesPerAddress: {
    read: integer(1, 1_000_000),
    value: 'NUMBER',
    default: '50',
    help: 'Sandboxes at once that one address may have made',
  },
  sandboxTtl: { read: lifetime, value: 'TIME', default: '24h', help: 'The longest that a sandbox lives' },
  sandboxPlants: {
    read: integer(1, 1_000_000),
    value: 'NUMBER',
    default: '1000',
    help: 'Plants that a sandbox may have',
  },
  trustProxy: {
    read: addresses,
    value: 'ADDRESS',
    list: true,
    help: 'Proxies whose X-Forwarded-For says where a request comes from: addresses, or networks such as 10.0.0.0/8',
  },
  defect: {
    read: defectName,
    value: 'NAME',
    help: 'Plants a defect for testers to find, by a name of plantstore defects; none plants nothing and only counts',
  },
  slowRequest: { read: timeout, value: 'TIME', default: '1s', help: 'Requests that take longer than this are logged' },
  accessLog: { read: onOff, help: 'Logs every request; where standard error is a terminal, unless it is false' },
  logLevel: {
    read: oneOf<LogLevel>(LOG_LEVELS),
    value: 'LEVEL',
    default: 'info',
    help: `What is logged: ${LOG_LEVELS.join(', ')}`,
  },
} satisfies OptionsOf<ServeConfig>;

const JSON_SWITCH = { ...SWITCH, help: 'Prints JSON' };

export const tokenCreateOptions = {
  database: DATABASE,
  create: { ...SWITCH, help: 'Makes an empty database where there is none' },
  name: { read: tokenName, value: 'NAME', help: 'What to call it; named after its id unless given' },
  scope: {
    read: words,
    value: 'SCOPE',
    list: true,
    help: 'What it may do, such as plants:read plants:write; every scope of the description unless given',
  },
  expires: { read: lifetime, value: 'TIME', help: 'How long it is valid, such as 90d; it never expires unless given' },
  store: { read: storeName, value: 'NAME', default: 'default', help: 'The store that it belongs to' },
  json: JSON_SWITCH,
} satisfies Options;

export const tokenListOptions = { database: DATABASE, json: JSON_SWITCH } satisfies Options;

const STORE = {
  read: storeName,
  value: 'NAME',
  default: 'default',
  help: 'The store that the plants belong to',
} as const;
const FORMAT = {
  read: oneOf<Format>(['ndjson', 'csv']),
  value: 'FORMAT',
  help: 'ndjson or csv; unless given, taken from the ending of the file name, or else ndjson',
} as const;

export const importOptions = {
  database: DATABASE,
  garden: { ...SWITCH, help: 'Stores the garden of the demo, some 50 plants, instead of a file' },
  store: STORE,
  format: FORMAT,
  refused: {
    read: text,
    value: 'FILE',
    help: 'Where to list the lines that were refused, each with its reason; standard error unless given',
  },
} satisfies Options;

const FORCE = { ...SWITCH, help: 'Replaces the file if there is one' };

export const exportOptions = { database: DATABASE, store: STORE, format: FORMAT, force: FORCE } satisfies Options;

export const defectsOptions = { json: JSON_SWITCH } satisfies Options;

export const gradeOptions = {
  only: { read: words, value: 'NAME', list: true, help: 'Only these defects; plantstore defects lists them' },
  tier: {
    read: words,
    value: 'TIER',
    list: true,
    help: 'Only defects of these tiers: schema, input, credentials, state, protocol',
  },
  controls: {
    read: integer(1, 100),
    value: 'NUMBER',
    default: '3',
    help: 'Runs against the clean service, before, between and after the others; at least one for each seed',
  },
  seeds: {
    read: integer(1, 100),
    value: 'NUMBER',
    default: '1',
    help: 'Runs with each defect, each with another {seed}',
  },
  timeout: { read: timeout, value: 'TIME', default: '2m', help: 'The longest that one run of the command may take' },
  findings: {
    read: oneOf<Verdict>(['exit-code', 'junit', 'schemathesis']),
    value: 'FORMAT',
    default: 'exit-code',
    help: 'What a run is judged by: exit-code, or the findings in {report}, as junit or schemathesis (its ndjson)',
  },
  plants: { read: text, value: 'FILE', help: 'Plants to begin each run with (NDJSON or CSV); none unless given' },
  output: {
    read: text,
    value: 'FOLDER',
    help: 'Where the output and the report of each run go; plantstore-grade-TIME unless given',
  },
  json: { read: text, value: 'FILE', help: 'Where every run is written in JSON, with the score' },
} satisfies Options;

export const backupOptions = { database: DATABASE, force: FORCE } satisfies Options;

/** The options of commands that have no others. */
export const databaseOptions = { database: DATABASE } satisfies Options;
