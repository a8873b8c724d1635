/** One connection to the server: prepared for durable writes, and every statement on it within its deadline. */
import { hash } from 'node:crypto';
import type { ClientConfig } from 'pg';
import { StartupError } from '../../errors.ts';
import { ConnectionLost, endsConnection, mayBeOutdated } from './failures.ts';
import { GuardedClient } from './pg-traps.ts';

/** Columns in the statement's order. */
export type Row = readonly unknown[];

/** Runs a statement, and resolves to its rows; a connection prepares those with parameters once. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** What statements are prepared under: the same in every process, since a pooler may give one what another prepared. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? hash('sha256', text, 'base64url');
  names.set(text, name);
  return name;
}

/** A server that does not confirm the end of a connection is not waited for longer, in milliseconds. */
const GOODBYE_MS = 500;
/** A session that is younger when it is refused is not replaced: while the cause lasts, each new one would be refused too. */
const OUTDATED_MS = 500;

/**
 * Set for the session, so that a reload of the server's settings does not change them: commits wait for the disk, and NULL
 * in an array is none. YugabyteDB looks for the keys of a batch at once rather than one by one. Read from pg_settings, since other servers with PostgreSQL's protocol lack some of them.
 */
const SETTINGS = `SELECT set_config(name, CASE setting WHEN 'off' THEN 'on' ELSE setting END, false) FROM pg_settings
  WHERE name IN ('array_nulls', 'synchronous_commit')
  UNION ALL SELECT set_config(name, '1024', false) FROM pg_settings WHERE name = 'yb_insert_on_conflict_read_batch_size'`;

export class Session extends GuardedClient {
  /** When it was opened, by performance.now(). */
  openedAt = 0;
  isLost = false;
  readonly #timeout: number;

  /** `timeout`: the longest that preparing it or a statement may take, in milliseconds. */
  constructor(config: ClientConfig, timeout: number) {
    super(config);
    this.#timeout = timeout;
  }

  /** Rejects when the server offers no session whose commits are durable. */
  protected override async open(): Promise<this> {
    try {
      await this.openConnection();
      await this.#prepare();
      this.openedAt = performance.now();
      return this;
    } catch (error) {
      this.cut();
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    const deadline = performance.now() + this.#timeout;
    const run = (text: string) => this.ask(text, [], deadline);
    // The server works no longer on a statement than its client waits.
    await run(`SET statement_timeout = ${this.#timeout}`);
    const [isReadOnly] = await run('SHOW transaction_read_only');
    if (isReadOnly?.[0] !== 'off') throw new StartupError('it is read-only');
    await run(SETTINGS);
  }

  /**
   * Rejects with a DatabaseError, or with ConnectionLost. Past the deadline (of performance.now()) the connection is
   * closed: a late result would reach the wrong request.
   */
  async ask(
    text: string,
    values: readonly unknown[] = [],
    deadline = performance.now() + this.#timeout,
  ): Promise<readonly Row[]> {
    const late = () => this.cut(new Error('no response in time'));
    const timer = setTimeout(late, Math.max(0, deadline - performance.now()));
    const name = values.length === 0 ? '' : nameOf(text);
    try {
      const { rows } = await this.query<unknown[]>({ name, text, values: [...values], rowMode: 'array' });
      return rows;
    } catch (error) {
      const isEnd = endsConnection(error);
      if (isEnd || (mayBeOutdated(error) && performance.now() - this.openedAt > OUTDATED_MS)) this.cut();
      throw isEnd ? new ConnectionLost('the connection was lost', { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  override async end(callback?: (error: Error) => void): Promise<void> {
    this.isLost = true;
    const timer = setTimeout(() => this.cut(), GOODBYE_MS);
    await super.end();
    clearTimeout(timer);
    // pg-pool's callback is given nothing.
    (callback as (() => void) | undefined)?.();
  }

  /** Closes the connection without a goodbye; `why` is what a statement under way rejects with. */
  cut(why?: Error): void {
    this.lose();
    this.connection.stream.destroy(why);
  }

  protected override lose(): void {
    this.isLost = true;
  }
}
