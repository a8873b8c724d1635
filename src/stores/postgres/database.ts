/** Reads the URL of a server without letting its password out, and opens the first connection of a process. */
import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type ClientConfig } from 'pg';
import { StartupError } from '../../errors.ts';
import { ConnectionLost, sqlState } from './failures.ts';
import { type Query, Session } from './session.ts';
import { withPlainSslMode } from './url.ts';

/** A server that is down is not waited for longer than this, so that the attempt after it comes soon enough. */
const CONNECT_TIMEOUT_MS = 2_000;
/** The server is starting up or shutting down: the only refusal that a start waits for. */
const CANNOT_CONNECT_NOW = '57P03';
const STARTING_RETRY_MS = 100;
/** A server that starts is waited for no longer than this. */
const MAX_START_MS = 30_000;

export interface Server {
  /** Host, port and database, for people to read. */
  readonly location: string;
  /** For pg, which reads the URL and the files it names for every connection. */
  readonly config: ClientConfig;
}

/**
 * Reads a postgres:// URL that `checkUrl` let pass. `timeout`: the longest that connecting may take, in milliseconds.
 * Throws a StartupError.
 */
export function readServer(url: string, timeout: number): Server {
  const config: ClientConfig = {
    connectionString: withPlainSslMode(url),
    connectionTimeoutMillis: Math.min(timeout, CONNECT_TIMEOUT_MS),
    keepAlive: true,
    fallback_application_name: 'plantstore',
    types: { getTypeParser },
  };
  const { host, port, database } = readUrl(config);
  return { location: `PostgreSQL at ${isIPv6(host) ? `[${host}]` : host}:${port}/${database ?? ''}`, config };
}

/**
 * A connection beside the pool, on which a statement may take `timeout` milliseconds; a server that starts is waited for.
 * Throws a StartupError in one line when there is none to be had.
 */
export async function connectFirst(server: Server, timeout: number): Promise<Session> {
  const deadline = performance.now() + Math.min(timeout, MAX_START_MS);
  for (;;) {
    try {
      return await new Session(server.config, timeout).connect();
    } catch (error) {
      if (sqlState(error) !== CANNOT_CONNECT_NOW || performance.now() > deadline) throw unusable(server, error);
      await sleep(STARTING_RETRY_MS);
    }
  }
}

/** Runs work on the first connection of a process, which is closed behind it. Throws a StartupError when it fails. */
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
    throw unusable(server, error);
  } finally {
    await session.end();
  }
}

/** What is wrong with the database, in one line without any secret. */
function unusable(server: Server, error: unknown): StartupError {
  return new StartupError(`cannot use ${server.location}: ${reasonOf(error)}`, { cause: error });
}

/** A client reads the URL, the files it names and libpq's variables, and connects nowhere yet. */
function readUrl(config: ClientConfig): pg.Client {
  try {
    return new pg.Client(config);
  } catch (error) {
    // Without its cause, which may hold the URL. For a directory, Node gives no path.
    if (error instanceof Error && 'syscall' in error) {
      throw new StartupError(`cannot read ${'path' in error ? error.path : 'a file'}, which the database URL names`);
    }
    throw new StartupError('the database URL is not well-formed');
  }
}

/** int8 is read exactly; everything else as pg reads it. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as 'text');
}

const REASONS: Readonly<Record<string, string>> = {
  '28P01': 'it refuses the user or the password',
  '28000': 'it refuses the user',
  '3D000': 'no such database',
  '3F000': 'no such schema',
  '42501': 'the user may not create or use the tables',
  '53300': 'it has no connection left',
  '57P03': 'it is starting up or shutting down',
  '25006': 'it is read-only',
  '53100': 'its disk is full',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  ETIMEDOUT: 'it cannot be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};
const UNTRUSTED = /^(SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|CERT_(?!HAS_EXPIRED))/;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConnectionLost) return reasonOf(error.cause);
  // Happy Eyeballs: one error for each address.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  const code = 'code' in error ? String(error.code) : '';
  if (UNTRUSTED.test(code)) return `its certificate is not signed by a trusted authority (${code})`;
  return REASONS[code] ?? (code === '' ? error.message : `${error.message} (${code})`);
}
