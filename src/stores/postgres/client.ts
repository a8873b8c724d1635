/** The server as the stores see it: pg's pool, with every call bounded by the time that its client waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type ClientConfig } from 'pg';
import { StoreFailure } from '../../errors.ts';
import { ConnectionLost, isConflict, translate } from './failures.ts';
import { type Query, type Rows, Session, type Statement } from './session.ts';

export interface Client {
  /** Reads; again on another connection when one is lost under way. Rejects with a StoreFailure by the deadline. */
  read(statement: Statement, values: readonly unknown[]): Promise<Rows>;
  /**
   * Runs single statements, each a transaction of its own; from the start again after a conflict, which was rolled back for
   * certain, and never when it may have been committed. Rejects with a StoreFailure by the deadline, of performance.now().
   */
  write<T>(work: (query: Query) => Promise<T>, deadline?: number): Promise<T>;
  /** Closes the connections, whatever is under way. */
  close(): Promise<void>;
}

interface ClientOptions {
  readonly connections: number;
  /** How many calls may wait for a connection. */
  readonly maxWaiting: number;
  /** The longest that a call takes, in milliseconds. */
  readonly timeout: number;
  readonly random: () => number;
}

/** Between attempts of a call. */
const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;
/** Between attempts to connect. With the connecting itself, the service is back within two seconds of the server. */
const FIRST_CONNECT_PAUSE_MS = 50;
const MAX_CONNECT_PAUSE_MS = 1_000;

export function openClient(config: ClientConfig, { connections, maxWaiting, timeout, random }: ClientOptions): Client {
  const sessions = new Set<Session>();
  /** Refuses a call that waits for a connection. */
  const waiting = new Set<() => void>();
  let closed = false;
  /** When a session was lost last. Those opened before may be dead too, and each would cost a call its deadline. */
  let lostAt = 0;
  /** From a failure to connect, when there is no session left, until a success. */
  let outage: { readonly since: number; cause: unknown } | undefined;
  let failedAttempts = 0;
  let pauseEnd = 0;

  class PooledSession extends Session {
    readonly #unreadable: unknown;

    constructor() {
      const unreadable = reasonNotToRead(config);
      super(unreadable === undefined ? config : {}, timeout);
      this.#unreadable = unreadable;
    }

    protected override async open(): Promise<this> {
      const pause = pauseEnd - performance.now();
      if (pause > 0) await sleep(pause, undefined, { ref: false });
      try {
        if (this.#unreadable !== undefined) throw this.#unreadable;
        await super.open();
      } catch (error) {
        failed(error);
        throw error;
      }
      opened(this);
      return this;
    }

    protected override lose(why: unknown): void {
      super.lose(why);
      if (sessions.delete(this) && this.openedAt > lostAt) lostAt = performance.now();
    }
  }
  const pool = new pg.Pool({ Client: PooledSession, max: connections, idleTimeoutMillis: 0 });
  // The pool has removed an idle connection that was lost already; without a listener the process would end.
  pool.on('error', () => undefined);

  const opened = (session: Session) => {
    if (closed) session.cut();
    sessions.add(session);
    failedAttempts = 0;
    pauseEnd = 0;
    outage = undefined;
    limit();
  };
  const failed = (cause: unknown) => {
    const pause = Math.min(MAX_CONNECT_PAUSE_MS, FIRST_CONNECT_PAUSE_MS * 2 ** Math.min(failedAttempts++, 10));
    // Jitter keeps replicas from coming back all at once.
    pauseEnd = performance.now() + pause * (0.5 + 0.5 * random());
    if (outage !== undefined) outage.cause = cause;
    else if (sessions.size === 0) {
      outage = { since: performance.now(), cause };
      void probe();
    }
    limit();
  };
  /** After a failure to connect, calls wait for the sessions there are; without any, there is one attempt at a time. */
  const limit = () => {
    const hasFailed = outage !== undefined || performance.now() < pauseEnd;
    pool.options.max = hasFailed ? Math.max(1, sessions.size) : connections;
  };
  /** Tries to connect as long as an outage lasts, whether or not a call waits. */
  const probe = async () => {
    while (outage !== undefined && !closed) {
      const session = await pool.connect().catch(() => undefined);
      session?.release();
    }
  };

  const acquire = async (deadline: number) => {
    for (;;) {
      const now = performance.now();
      const isOut = outage !== undefined && now - outage.since > timeout;
      if (closed || isOut || now >= deadline) throw new StoreFailure('unreachable', outage?.cause);
      if (pool.idleCount === 0 && waiting.size >= maxWaiting) throw new StoreFailure('overloaded');
      limit();
      const session = await connect(deadline);
      if (session === undefined) continue;
      if (session.openedAt > lostAt) return session;
      session.cut();
      session.release(true);
    }
  };
  /** Resolves to undefined when an attempt to connect failed: nothing was sent, so the call may try again. */
  const connect = async (deadline: number) => {
    const connecting = pool.connect().then(
      (session) => (session instanceof PooledSession ? session : undefined),
      () => undefined,
    );
    const refusal = Promise.withResolvers<never>();
    const refuse = () => refusal.reject(new StoreFailure('unreachable', outage?.cause));
    const timer = setTimeout(refuse, Math.max(1, deadline - performance.now()));
    waiting.add(refuse);
    try {
      return await Promise.race([connecting, refusal.promise]);
    } catch (error) {
      // The pool cannot be told that the call no longer waits.
      void connecting.then((session) => session?.release());
      throw error;
    } finally {
      clearTimeout(timer);
      waiting.delete(refuse);
    }
  };

  const run = async <T>(work: (query: Query) => Promise<T>, again: (error: unknown) => boolean, deadline: number) => {
    for (let attempt = 0; ; attempt++) {
      try {
        const session = await acquire(deadline);
        try {
          return await work((statement, values) => session.ask(statement, values, deadline));
        } finally {
          session.release(session.isLost);
        }
      } catch (error) {
        const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10)) * (0.5 + random());
        if (!again(error) || performance.now() + pause > deadline) throw translate(error);
        await sleep(pause);
      }
    }
  };
  const soon = () => performance.now() + timeout;

  return {
    read(statement, values) {
      const again = (error: unknown) => error instanceof ConnectionLost || isConflict(error);
      return run((query) => query(statement, values), again, soon());
    },
    write: (work, deadline = soon()) => run(work, isConflict, deadline),
    async close() {
      closed = true;
      for (const refuse of waiting) refuse();
      // Not pool.end(), which waits for calls under way and for attempts to connect.
      await Promise.all([...sessions].map((session) => session.end()));
    },
  };
}

/** pg reads the files that the URL names for every connection: one that is gone by now must cost no more than the attempt. */
function reasonNotToRead(config: ClientConfig): unknown {
  try {
    new pg.Client(config);
    return undefined;
  } catch (error) {
    return error;
  }
}
