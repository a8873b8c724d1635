/**
 * The traps of pg 8.23 and pg-pool 3.14, and the way around each. No other file of this folder works around them.
 * What pg-pool lacks, such as pauses between attempts to connect, is in `client.ts`.
 */
import pg, { type ClientConfig } from 'pg';

/** A connection whose failures never end the process. */
export abstract class GuardedClient extends pg.Client {
  readonly #configError: unknown;

  constructor(config: ClientConfig) {
    // The constructor of pg.Client reads the files that the URL names, and throws where it cannot. pg-pool does not catch
    // that, so `connect` rejects with it instead. Observed with pg-pool 3.14.0 (`newClient`); no issue is known.
    const configError = errorOfConfig(config);
    super(configError === undefined ? config : {});
    this.#configError = configError;
    // pg-pool listens for 'error' only while a connection is idle, and an 'error' without a listener ends the process:
    // https://github.com/brianc/node-postgres/issues/3630
    this.on('error', () => this.lose());
    this.on('end', () => this.lose());
    guardParser(this);
  }

  /** Called, possibly more than once, when the connection can no longer be used. */
  protected abstract lose(): void;

  /** Resolves when the session can be used. */
  protected abstract open(): Promise<this>;

  protected async openConnection(): Promise<void> {
    if (this.#configError !== undefined) throw this.#configError;
    await super.connect();
  }

  /** pg-pool calls this with a callback. */
  override connect(callback?: Parameters<pg.Client['connect']>[0]): Promise<this> {
    const opened = this.open();
    const done = callback as ((error: unknown) => void) | undefined;
    if (done !== undefined) opened.then(() => done(null), done);
    return opened;
  }
}

function errorOfConfig(config: ClientConfig): unknown {
  try {
    new pg.Client(config);
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * pg throws on an unknown kind of authentication, such as GSSAPI, and on bytes that are not PostgreSQL's protocol. It throws
 * in a listener of the socket, which ends the process: https://github.com/brianc/node-postgres/pull/3409. Here such an error
 * only closes the connection.
 */
function guardParser({ connection }: pg.Client): void {
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
  // pg has begun to read the socket, or the encrypted stream above it, when it emits these.
  connection.once('connect', guard);
  connection.once('sslconnect', guard);
}

/** A pool whose waiting calls can be refused. */
export class GuardedPool<Client extends GuardedClient> extends pg.Pool {
  readonly #Client: new () => Client;
  /** Refuses a call that waits for a connection. */
  readonly waiting = new Set<() => void>();

  constructor(Client: new () => Client, max: number) {
    super({ Client, max, idleTimeoutMillis: 0 });
    this.#Client = Client;
    // The pool has already removed the idle connection that was lost: https://github.com/brianc/node-postgres/issues/3630
    this.on('error', () => undefined);
  }

  /**
   * Lends out a connection. Resolves to undefined when an attempt to connect failed: nothing was sent, so the call may try
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
        // pg-pool 3.14.0 has no way to withdraw a call that waits. A connection that comes too late goes straight back.
        else client?.release();
      });
    });
  }
}
