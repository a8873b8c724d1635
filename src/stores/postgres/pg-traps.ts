/**
 * Workarounds for the traps of pg 8.23 and pg-pool 3.14. `client.ts` adds what pg-pool lacks, such as pauses between
 * attempts to connect.
 */
import pg, { type ClientConfig } from 'pg';

/**
 * Returns what the constructor of pg.Client throws, which reads the files that the URL names. pg-pool 3.14.0 does not
 * catch that (`newClient`; we found no report).
 */
export function errorOfConfig(config: ClientConfig): unknown {
  try {
    new pg.Client(config);
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * pg throws in a listener of the socket if it receives an unknown kind of authentication, such as GSSAPI, or bytes of
 * another protocol. That would end the process: https://github.com/brianc/node-postgres/pull/3409. Here the error only
 * closes the connection.
 */
export function guardParser({ connection }: pg.Client): void {
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
  // At these events pg has begun to read the socket or the encrypted stream.
  connection.once('connect', guard);
  connection.once('sslconnect', guard);
}

/** A pool that can refuse waiting calls. */
export class GuardedPool<Client extends pg.Client> extends pg.Pool {
  readonly #Client: new () => Client;
  /** For each call that waits for a connection, the function that refuses it. */
  readonly waiting = new Set<() => void>();

  constructor(Client: new () => Client, max: number) {
    super({ Client, max, idleTimeoutMillis: 0 });
    this.#Client = Client;
    // The pool has already removed the idle connection that was lost:
    // https://github.com/brianc/node-postgres/issues/3630
    this.on('error', () => undefined);
  }

  /**
   * Lends a connection. Resolves to undefined if an attempt to connect failed: nothing was sent, so the call may try
   * again. Rejects with `refusal()` after `timeout` milliseconds.
   */
  lend(timeout: number, refusal: () => Error): Promise<(Client & pg.PoolClient) | undefined> {
    return new Promise((resolve, reject) => {
      const refuse = () => {
        clearTimeout(timer);
        this.waiting.delete(refuse);
        reject(refusal());
      };
      const timer = setTimeout(refuse, timeout);
      this.waiting.add(refuse);
      this.connect((_error, client) => {
        clearTimeout(timer);
        if (this.waiting.delete(refuse)) resolve(client instanceof this.#Client ? client : undefined);
        // pg-pool 3.14.0 cannot withdraw a waiting call. A connection that comes too late is returned.
        else client?.release();
      });
    });
  }
}
