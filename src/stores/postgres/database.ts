/** Reads the URL of a server without revealing its password, and opens the first connection of a process. */
import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type ClientConfig } from 'pg';
import { StartupError } from '../../errors.ts';
import { ConnectionLost, sqlState } from './failures.ts';
import { type Query, Session } from './session.ts';
import { readConnection, withPlainSslMode } from './url.ts';

/** The longest wait for a server that is down, so that the next attempt comes soon enough. */
const CONNECT_TIMEOUT_MS = 2_000;
/** The server is starting up or shutting down. A start of the service tries again only after this error. */
const CANNOT_CONNECT_NOW = '57P03';
const STARTING_RETRY_MS = 100;
/** The longest wait for a server that starts. */
const MAX_START_MS = 30_000;

export interface Server {
  /** Host, port and database as a text for people. */
  readonly location: string;
  /** The configuration for pg, which reads the URL and the files that it names for every connection. */
  readonly config: ClientConfig;
}

/**
 * Reads a postgres:// URL that `checkUrl` accepted. `timeout`: the longest that connecting may take, in milliseconds.
 * Throws a StartupError.
 */
export function readServer(url: string, timeout: number): Server {
  const config: ClientConfig = {
    connectionString: withPlainSslMode(url),
    ...readConnection(url, Math.min(timeout, CONNECT_TIMEOUT_MS)),
    fallback_application_name: 'plantstore',
    types: { getTypeParser },
  };
  const { host, port, database } = readUrl(config);
  return { location: `PostgreSQL at ${isIPv6(host) ? `[${host}]` : host}:${port}/${database ?? ''}`, config };
}

/**
 * Opens a connection beside the pool, and waits for a server that is starting. `timeout`: the longest that a statement
 * may take, in milliseconds. Throws a StartupError of one line if it cannot connect.
 */
export async function connectFirst(server: Server, timeout: number): Promise<Session> {
  const deadline = performance.now() + Math.min(timeout, MAX_START_MS);
  for (;;) {
    try {
      return await new Session(server.config, timeout).connect();
    } catch (error) {
      if (sqlState(error) !== CANNOT_CONNECT_NOW || performance.now() > deadline) throw startupError(server, error);
      await sleep(STARTING_RETRY_MS);
    }
  }
}

/**
 * Runs work on the first connection of a process and closes the connection. Throws a StartupError if the work fails.
 */
export async function onFirstConnection<T>(
  server: Server,
  timeout: number,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const session = await connectFirst(server, timeout);
  const deadline = performance.now() + timeout;
  try {
    return await work((text, values) => session.ask(text, values, deadline));
  } catch (error) {
    throw startupError(server, error);
  } finally {
    await session.end();
  }
}

/** Describes what is wrong with the database in one line without any secret. */
function startupError(server: Server, error: unknown): StartupError {
  return new StartupError(`cannot use ${server.location}: ${reasonOf(error)}`, { cause: error });
}

/** Creates a client, which reads the URL, the files that it names and libpq's variables, but does not connect. */
function readUrl(config: ClientConfig): pg.Client {
  try {
    return new pg.Client(config);
  } catch (error) {
    // The cause is left out, since it may contain the URL. Node's error for a directory has no path.
    if (Error.isError(error) && 'syscall' in error) {
      throw new StartupError(
        `cannot read ${'path' in error ? error.path : 'a file'}, which is named in the database URL`,
      );
    }
    throw new StartupError('the database URL is not well-formed');
  }
}

/** Reads int8 as bigint, and everything else as pg does. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as 'text');
}

const REASONS: Readonly<Record<string, string>> = {
  '28P01': 'it refuses the user or the password',
  '28000': 'it refuses the user, or a connection without TLS (set sslmode)',
  '3D000': 'no such database',
  '3F000': 'no such schema',
  '42501': 'the user may not create or use the tables',
  '53300': 'it has no connection left',
  '57P03': 'it is starting up or shutting down',
  '25006': 'it is read-only',
  '53100': 'its disk is full',
  ECONNREFUSED: 'nothing listens there',
  // The file of a socket.
  ENOENT: 'nothing listens there',
  EACCES: 'this user may not use its socket',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  ETIMEDOUT: 'it cannot be reached',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ECONNRESET: 'it closed the connection',
  // The text of pg, which has no code for its own limit.
  'timeout expired': 'it cannot be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};
const UNTRUSTED = /^(SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|CERT_(?!HAS_EXPIRED))/;

function reasonOf(error: unknown): string {
  if (!Error.isError(error)) return String(error);
  if (error instanceof ConnectionLost) return reasonOf(error.cause);
  // Node tries all addresses of a host (Happy Eyeballs), and has an error for each.
  if ('errors' in error && Array.isArray(error.errors)) return reasonOf(error.errors[0]);
  const code = 'code' in error ? String(error.code) : '';
  if (UNTRUSTED.test(code)) return `its certificate is not signed by a trusted authority (${code})`;
  return REASONS[code || error.message] ?? (code === '' ? error.message : `${error.message} (${code})`);
}
