/** A pool of connections to the server. Every call ends within its deadline, also in an outage. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { StoreFailure } from '../../errors.ts';
import type { EngineOptions } from '../engine.ts';
import { ConnectionLost, isConflict, translate } from './failures.ts';
import { GuardedPool } from './pg-traps.ts';
import { type Query, Session } from './session.ts';

export interface PostgresOptions extends EngineOptions {
  /** The most connections that this process may open, 1 or more. */
  readonly connections: number;
  /** The longest that a call may take, in milliseconds. */
  readonly timeout: number;
}

export interface Client {
  /** Reads, and tries again when a connection is lost. Rejects with a StoreFailure by the deadline. */
  read: Query;
  /**
   * Runs work of single statements, each in its own transaction. Repeats the work after a conflict, which was rolled
   * back, but never after a statement that may have been committed. Rejects with a StoreFailure by `deadline`, a time
   * of performance.now(). `withEvents`: whether each change must write its event.
   */
  write<T>(work: (query: Query, withEvents: boolean) => Promise<T>, deadline?: number): Promise<T>;
  /** From now on, uses only sessions that open after this call. */
  renew(): void;
  /** Closes the connections, also those in use. */
  close(): Promise<void>;
}

/**
 * Adds a number to the name of the session. The number belongs to the schema, and is the same on each node of a
 * cluster. By this number, `Activity` (events.ts) finds the sessions on the same tables.
 */
const NAME_SESSION = `SELECT set_config('application_name',
    left(current_setting('application_name'), 40) || ' ' || hashtext(CAST(relnamespace::regnamespace AS text)), false)
  FROM pg_class WHERE oid = to_regclass('plants')`;
/** Selects the name of the period in which events are on, if they are on. */
export const SELECT_PERIOD = "SELECT value FROM plantstore_meta WHERE key = 'events'";

/** The pauses between attempts of a call. */
const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;
/** The pauses between attempts to connect. They let the service recover within two seconds after the server. */
const FIRST_CONNECT_PAUSE_MS = 50;
const MAX_CONNECT_PAUSE_MS = 1_000;

export function openClient(config: ClientConfig, options: PostgresOptions): Client {
  const { connections, queueLimit, timeout, random } = options;
  // In an outage, one call at a time tries to connect, with growing pauses. The other calls wait for an open session
  // until their deadline. Once the outage is longer than `timeout`, they fail immediately. A session that opened before
  // another one was lost is not used again.
  const sessions = new Set<Session>();
  let closed = false;
  /** When a session was lost last. Older sessions may be dead too and would delay calls until their deadline. */
  let lostAt = 0;
  /** Set while connecting fails and there is no session. */
  let outage: { readonly since: number; readonly cause: unknown } | undefined;
  let failedAttempts = 0;
  let pauseEnd = 0;

  class PooledSession extends Session {
    withEvents = false;

    constructor() {
      super(config, timeout);
    }

    protected override async open(): Promise<this> {
      const pause = pauseEnd - performance.now();
      if (pause > 0) await sleep(pause, undefined, { ref: false });
      try {
        await super.open();
        // Named first. If events are turned on after the next statement, this session is found by its name.
        await this.ask(NAME_SESSION);
        this.withEvents = (await this.ask(SELECT_PERIOD)).length > 0;
      } catch (error) {
        this.cut();
        failed(error);
        throw error;
      }
      opened(this);
      return this;
    }

    protected override lose(concernsOthers = true): void {
      super.lose();
      if (sessions.delete(this) && concernsOthers && this.openedAt > lostAt) lostAt = performance.now();
    }
  }
  const pool = new GuardedPool(PooledSession, connections);

  const opened = (session: Session) => {
    if (closed) session.cut();
    else sessions.add(session);
    failedAttempts = 0;
    pauseEnd = 0;
    outage = undefined;
    limit();
  };
  const failed = (cause: unknown) => {
    const now = performance.now();
    // Jitter keeps replicas from connecting all at the same time.
    const pause = Math.min(MAX_CONNECT_PAUSE_MS, FIRST_CONNECT_PAUSE_MS * 2 ** failedAttempts++);
    pauseEnd = now + pause * (0.5 + 0.5 * random());
    if (sessions.size === 0) outage = { since: outage?.since ?? now, cause };
    limit();
  };
  /** After a failure to connect, calls wait for the open sessions. Without a session, one attempt is made at a time. */
  const limit = () => {
    const hasFailed = outage !== undefined || performance.now() < pauseEnd;
    pool.options.max = hasFailed ? Math.max(1, sessions.size) : connections;
  };
  /** In an outage longer than `timeout`, calls fail immediately, except the one that tries to connect. */
  const isOut = (now: number) =>
    outage !== undefined && now - outage.since > timeout && (now < pauseEnd || pool.totalCount > 0);
  const unreachable = () => {
    // An operator may have to fix what a new session lacks, such as a permission.
    const failure = translate(outage?.cause);
    return failure instanceof StoreFailure ? failure : new StoreFailure('unreachable', outage?.cause);
  };

  const acquire = async (deadline: number) => {
    for (;;) {
      const now = performance.now();
      if (closed || now >= deadline || isOut(now)) throw unreachable();
      if (pool.idleCount === 0 && pool.waiting.size >= queueLimit) throw new StoreFailure('overloaded');
      limit();
      const session = await pool.lend(Math.max(1, deadline - now), unreachable);
      if (session === undefined) continue;
      if (session.openedAt > lostAt) return session;
      session.cut();
      session.release(true);
    }
  };

  const run = async <T>(
    work: (query: Query, withEvents: boolean) => Promise<T>,
    again: (error: unknown) => boolean,
    deadline: number,
  ) => {
    for (let attempt = 0; ; attempt++) {
      try {
        const session = await acquire(deadline);
        try {
          return await work((text, values) => session.ask(text, values, deadline), session.withEvents);
        } finally {
          session.release(session.isLost);
        }
      } catch (error) {
        const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + random());
        if (!again(error) || performance.now() + pause > deadline) throw translate(error);
        await sleep(pause);
      }
    }
  };
  const soon = () => performance.now() + timeout;

  return {
    read(text, values) {
      const again = (error: unknown) => error instanceof ConnectionLost || isConflict(error);
      return run((query) => query(text, values), again, soon());
    },
    write: (work, deadline = soon()) => run(work, isConflict, deadline),
    renew() {
      lostAt = performance.now();
    },
    async close() {
      closed = true;
      for (const refuse of pool.waiting) refuse();
      // Otherwise the pool would connect for the calls that were refused. Its promise waits for connections in use:
      // https://github.com/brianc/node-postgres/issues/2199
      if (!pool.ending) void pool.end();
      await Promise.all([...sessions].map((session) => session.end()));
    },
  };
}
