/** Owns the connections: opening them on demand, handing them out in turn, and coming back by itself with back-off. */
import { StoreFailure } from '../../errors.ts';
import type { Connection } from './connection.ts';

/** The longest pause between attempts: with the connecting itself, traffic is back within two seconds of the server. */
const MAX_PAUSE_MS = 1_000;
const FIRST_PAUSE_MS = 50;

export interface Pool {
  /**
   * Runs work on a connection that nobody else uses meanwhile. Rejects with a StoreFailure when there is none by the
   * deadline (of performance.now()), at once when the server has been gone for longer than the bound, too many wait, or
   * the pool is closed.
   */
  use<T>(deadline: number, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Closes the connections, under whatever is under way. */
  close(): Promise<void>;
}

interface PoolOptions {
  readonly size: number;
  /** How many may wait for a connection. */
  readonly waitLimit: number;
  /** Milliseconds after which an outage is no longer waited out. */
  readonly bound: number;
  readonly random: () => number;
  readonly connect: () => Promise<Connection>;
}

interface Waiter {
  readonly give: (connection: Connection) => void;
  readonly refuse: (error: StoreFailure) => void;
}

export function createPool({ size, waitLimit, bound, random, connect }: PoolOptions): Pool {
  const open = new Set<Connection>();
  const idle: Connection[] = [];
  const waiting = new Set<Waiter>();
  let connecting = 0;
  let outage: { readonly since: number; attempts: number; cause: unknown } | undefined;
  let pause: NodeJS.Timeout | undefined;
  let closed = false;

  /** During an outage one attempt at a time, caller or not; otherwise as many as are waited for. */
  const grow = () => {
    if (closed || pause !== undefined) return;
    const wanted = outage === undefined ? Math.min(waiting.size, size - open.size) : 1;
    while (connecting < wanted) void attempt();
  };
  const attempt = async () => {
    connecting++;
    try {
      const connection = await connect();
      connecting--;
      outage = undefined;
      adopt(connection);
    } catch (cause) {
      connecting--;
      outage ??= { since: performance.now(), attempts: 0, cause };
      outage.cause = cause;
      // Jitter keeps replicas from coming back all at once.
      const delay = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(outage.attempts++, 10));
      pause ??= setTimeout(resume, delay * (0.5 + 0.5 * random())).unref();
    }
    grow();
  };
  const resume = () => {
    pause = undefined;
    // While connections are left and nobody waits for more, no attempt is needed to find out whether the server is back.
    if (open.size > 0 && waiting.size === 0) outage = undefined;
    grow();
  };
  const adopt = (connection: Connection) => {
    if (closed) {
      void connection.close();
      return;
    }
    open.add(connection);
    connection.onLost(() => {
      if (!open.delete(connection)) return;
      // The idle connections may be dead too, and each would cost a caller the whole bound to find that out.
      for (const other of idle.splice(0)) {
        open.delete(other);
        void other.close();
      }
      grow();
    });
    release(connection);
  };
  const release = (connection: Connection) => {
    // A lost connection has left the set already, or leaves it when onLost is called.
    if (!connection.usable) return;
    const [next] = waiting;
    if (next === undefined) idle.push(connection);
    else next.give(connection);
  };
  const acquire = (deadline: number): Connection | Promise<Connection> => {
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      if (connection.usable) return connection;
    }
    if (closed || (outage !== undefined && open.size === 0 && performance.now() - outage.since > bound)) {
      throw new StoreFailure('unreachable', outage?.cause);
    }
    if (waiting.size >= waitLimit) throw new StoreFailure('overloaded');
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        waiting.delete(waiter);
      };
      const waiter: Waiter = {
        give(connection) {
          settle();
          resolve(connection);
        },
        refuse(error) {
          settle();
          reject(error);
        },
      };
      const timer = setTimeout(
        () => waiter.refuse(new StoreFailure('unreachable', outage?.cause)),
        Math.max(0, deadline - performance.now()),
      );
      waiting.add(waiter);
      grow();
    });
  };

  return {
    async use(deadline, work) {
      const connection = await acquire(deadline);
      try {
        return await work(connection);
      } finally {
        release(connection);
      }
    },
    async close() {
      closed = true;
      clearTimeout(pause);
      for (const waiter of waiting) waiter.refuse(new StoreFailure('unreachable'));
      await Promise.all([...open].map((connection) => connection.close()));
    },
  };
}
