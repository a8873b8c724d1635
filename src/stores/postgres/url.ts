/** Checks a postgres:// URL before the engine is loaded, and reads what pg does not read from it. */
import type { ClientConfig } from 'pg';
import { suggest } from '../../util/nearest.ts';

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** The modes that encrypt, and check the certificate and its host (docs/postgres.md). */
const VERIFIED = ['prefer', 'require', 'verify-ca', 'verify-full'];

/** The parameters of a URL with the values that they may have. The table in docs/postgres.md has their meaning. */
export const PARAMETERS: Readonly<Record<string, 'text' | 'number' | readonly string[]>> = {
  application_name: 'text',
  channel_binding: ['disable', 'prefer', 'require'],
  client_encoding: ['UTF8', 'utf8', 'UTF-8', 'utf-8'],
  connect_timeout: 'number',
  gssencmode: ['disable', 'prefer'],
  host: 'text',
  keepalives: ['0', '1'],
  keepalives_count: 'number',
  keepalives_idle: 'number',
  keepalives_interval: 'number',
  options: 'text',
  password: 'text',
  pgbouncer: ['true', 'false'],
  port: 'number',
  sslcert: 'text',
  sslkey: 'text',
  sslmode: SSL_MODES,
  sslnegotiation: ['postgres', 'direct'],
  sslrootcert: 'text',
  target_session_attrs: ['any', 'primary', 'read-write'],
  uselibpqcompat: ['true', 'false'],
  user: 'text',
};

/** The variables of libpq that pg reads for what the URL leaves out. A password may have blanks around it. */
const VARIABLES = ['PGHOST', 'PGPORT', 'PGDATABASE', 'PGUSER', 'PGOPTIONS', 'PGAPPNAME', 'PGSSLNEGOTIATION'];

const SCHEMA_HINT = 'choose a schema with options=-csearch_path=NAME';
/** What to do instead, for parameters of other programs. */
const HINTS: Readonly<Record<string, string>> = {
  schema: SCHEMA_HINT,
  currentSchema: SCHEMA_HINT,
  search_path: SCHEMA_HINT,
  ssl: 'use sslmode=verify-full',
  dbname: 'write the name of the database behind the host',
  connection_limit: 'use --database-connections',
  statement_timeout: 'use --database-timeout',
};

/** Throws an Error with the rule that the URL violates, never with the URL, which may contain a password. */
export function checkUrl(url: string): void {
  // With an unescaped / ? or # in the password, part of the password would be taken for the address and shown.
  const address = url.slice(url.indexOf('://') + 3);
  const end = address.search(/[/?]/);
  if (address.includes('#') || (end !== -1 && address.includes('@', end))) {
    throw new Error('it is not well-formed: percent-encode / ? # and @ in user and password');
  }
  const parsed = parse(url);
  const hosts = end === -1 ? address : address.slice(0, end);
  if (hosts.slice(hosts.lastIndexOf('@') + 1).includes(',') || parsed?.searchParams.get('host')?.includes(',')) {
    throw new Error('it must name one host: an address that follows the primary');
  }
  if (parsed === null || !isUtf8(parsed)) throw new Error('it is not well-formed');
  const { username, hostname, pathname, searchParams } = parsed;
  const values = [...searchParams].filter(([name]) => name !== 'password').map(([, value]) => value);
  if ([...[username, hostname, pathname].map(decodeURIComponent), ...values].some((part) => /\p{Cc}/u.test(part))) {
    throw new Error('it contains a control character, such as %0D; remove it');
  }
  // pg ignores unknown parameters, so a typo would silently turn encryption off.
  const unknown = [...searchParams.keys()].filter((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown.length > 0) throw new Error(unknown.map(describeUnknown).join('; '));
  for (const [name, value] of searchParams) refuseValue(name, value);
  // pg takes an unknown mode in the URL for verify-full, but an unknown mode in the environment for no encryption.
  const variable = process.env['PGSSLMODE'] ?? '';
  if (variable !== '' && !SSL_MODES.includes(variable)) {
    throw new Error(`PGSSLMODE must be one of ${SSL_MODES.join(', ')}`);
  }
  // pg would look for this driver, which Plant Store does not have, and end the process.
  if (process.env['NODE_PG_FORCE_NATIVE']) throw new Error('NODE_PG_FORCE_NATIVE is not supported; unset it');
  for (const name of VARIABLES) {
    if (/^\s|\s$|\p{Cc}/u.test(process.env[name] ?? '')) {
      throw new Error(`${name} has a control character, or a blank at its beginning or end; remove it`);
    }
  }
  // With uselibpqcompat, pg would refuse the URL later with its own message.
  const given = new Map(searchParams);
  const isCompatible = given.get('uselibpqcompat') === 'true';
  if (isCompatible && given.get('sslmode') === 'verify-ca' && !given.get('sslrootcert')) {
    throw new Error('its sslmode=verify-ca needs sslrootcert');
  }
  // pg cannot insist on channel binding. A certificate that was checked for this host keeps others out as well.
  const mode = given.get('sslmode') ?? (given.get('sslrootcert') ? 'verify-full' : variable);
  const isVerified = isCompatible ? mode === 'verify-full' : VERIFIED.includes(mode);
  if (given.get('channel_binding') === 'require' && !isVerified) {
    const others = isCompatible ? '' : ' (prefer, require and verify-ca mean the same here)';
    throw new Error(`its channel_binding=require needs sslmode=verify-full${others}`);
  }
}

/** Names the parameter. What does not look like a name is not repeated, since it may be part of a password. */
function describeUnknown(name: string): string {
  if (!/^[a-z_]{2,40}$/i.test(name)) return 'a part behind its ? is not the name of a parameter';
  const hint = HINTS[name] ?? `its parameters must be among ${Object.keys(PARAMETERS).join(', ')}`;
  return `its parameter ${name} is not supported${suggest(name, Object.keys(PARAMETERS))}: ${hint}`;
}

function refuseValue(name: string, value: string): void {
  const rule = PARAMETERS[name] ?? 'text';
  if (rule === 'text') return;
  if (rule === 'number') {
    if (/^\d{1,6}$/.test(value)) return;
    throw new Error(`its ${name} must be a number from 0 to 999999`);
  }
  if (!rule.includes(value)) throw new Error(`its ${name} must be one of ${rule.join(', ')}`);
}

/** Returns what the URL asks of its connections, as pg calls it. `timeout`: the longest that connecting may take. */
export function readConnection(url: string, timeout: number): ClientConfig {
  const given = new Map(parse(url)?.searchParams);
  const connectTimeout = Number(given.get('connect_timeout') ?? 0) * 1_000;
  return {
    // As in libpq, 0 means no limit.
    connectionTimeoutMillis: connectTimeout === 0 ? timeout : Math.min(timeout, connectTimeout),
    keepAlive: given.get('keepalives') !== '0',
    keepAliveInitialDelayMillis: Number(given.get('keepalives_idle') ?? 0) * 1_000,
  };
}

/** A URL without a host means a socket or the host in libpq's variables. The parser would refuse such a URL. */
function parse(url: string): URL | null {
  return URL.parse(url) ?? URL.parse(url.replace('@/', '@host/'));
}

/**
 * Replaces the modes that pg takes for verify-full by verify-full (docs/postgres.md). Otherwise pg writes several lines
 * about its next major version into the log. With uselibpqcompat the modes keep their meaning for libpq.
 */
export function withPlainSslMode(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** Whether the URL's percent-encoded bytes are UTF-8. */
function isUtf8({ username, password, hostname, pathname }: URL): boolean {
  try {
    [username, password, hostname, pathname].forEach(decodeURIComponent);
    return true;
  } catch {
    return false;
  }
}
