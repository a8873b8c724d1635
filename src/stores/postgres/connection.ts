/** Owns one connection: prepared statements, each within its deadline, and knowing when it is of no more use. */
import type { Client, CustomTypesConfig } from 'pg';
import { StartupError } from '../../errors.ts';
import { ConnectionLost, endsConnection, mayBeOutdated } from './failures.ts';

/** A statement that a connection prepares once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Its rows are given as text: most of them are only counted. */
  readonly raw?: true;
}

const RAW: CustomTypesConfig = { getTypeParser: () => String };

const GOODBYE_MS = 500;

/** A session that is younger when it is refused is not replaced: as long as the refusal lasts, each would be. */
const OUTDATED_MS = 500;

/**
 * Set for the session, and so not changed under it by a reload of the server's settings: commits wait for the disk, and
 * NULL in an array is none. Read from pg_settings, since other servers with PostgreSQL's protocol lack some of them.
 */
const SETTINGS = `SELECT set_config(name, CASE setting WHEN 'off' THEN 'on' ELSE setting END, false) FROM pg_settings
  WHERE name IN ('array_nulls', 'synchronous_commit')`;

export type Row = readonly unknown[];

export interface Rows {
  /** Columns in the statement's order. */
  readonly rows: readonly Row[];
  /** How many rows were written or read. */
  readonly count: number;
}

export interface Connection {
  readonly usable: boolean;
  /**
   * Rejects with a DatabaseError, or with ConnectionLost; past the deadline (of performance.now()) the connection is
   * cut, since what it would answer later belongs to nobody.
   */
  query(statement: Statement, values: readonly unknown[], deadline: number): Promise<Rows>;
  /** Calls back once when the connection is gone, at once when it is already. */
  onLost(listener: () => void): void;
  close(): Promise<void>;
}

/** Connects, and makes sure that commits are durable and that the server is no standby. Closes the client when not. */
export async function openConnection(client: Client, bound: number): Promise<Connection> {
  let usable = true;
  let cause: unknown;
  const gone = Promise.withResolvers<void>();
  const lose = (error?: unknown) => {
    cause ??= error;
    usable = false;
    gone.resolve();
  };
  client.on('error', lose);
  client.on('end', lose);
  guardReading(client);
  const timer = setTimeout(() => client.connection.stream.destroy(late()), bound);
  try {
    await client.connect();
    await prepare(client, bound);
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }

  const began = performance.now();
  const cut = (why?: Error) => {
    lose(why);
    client.connection.stream.destroy();
  };
  return {
    get usable() {
      return usable;
    },
    async query({ name, text, raw }, values, deadline) {
      const timer = setTimeout(() => cut(late()), Math.max(0, deadline - performance.now()));
      try {
        const result = await client.query<unknown[]>({
          name,
          text,
          values: [...values],
          rowMode: 'array',
          ...(raw && { types: RAW }),
        });
        return { rows: result.rows, count: result.rowCount ?? 0 };
      } catch (error) {
        if (endsConnection(error)) cut();
        if (!usable) throw new ConnectionLost('the connection was lost', { cause: cause ?? error });
        if (mayBeOutdated(error) && performance.now() - began > OUTDATED_MS) cut();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    onLost: (listener) => void gone.promise.then(listener),
    async close() {
      // A server that does not answer the goodbye is not waited for.
      const timer = setTimeout(cut, GOODBYE_MS);
      await client.end();
      clearTimeout(timer);
    },
  };
}

/**
 * What pg throws while it reads would end the process, since nothing catches it there: of an authentication that it does not
 * know, as GSSAPI, or of what is not PostgreSQL's protocol. It costs the connection alone.
 */
function guardReading({ connection }: Client): void {
  const guard = () => {
    const { stream } = connection;
    for (const read of stream.listeners('data')) {
      stream.off('data', read as (bytes: Buffer) => void);
      stream.on('data', (bytes) => {
        try {
          read(bytes);
        } catch (error) {
          stream.destroy(error as Error);
        }
      });
    }
  };
  // By then pg reads the socket, or where it is encrypted the one above it.
  connection.once('connect', guard);
  connection.once('sslconnect', guard);
}

/** The cause of a connection that was cut at its deadline: pg's own error says that the server closed it. */
function late(): Error {
  return new Error('no answer in time');
}

/** Checks and sets what durability rests on, and bounds the server's work on a statement whose caller has given up. */
async function prepare(client: Client, bound: number): Promise<void> {
  await client.query(`SET statement_timeout = ${bound}`);
  const readOnly = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (readOnly.rows[0]?.transaction_read_only !== 'off') throw new StartupError('it is read-only');
  await client.query(SETTINGS);
}
