/** One connection to the server, prepared for durable writes. Every statement ends by its deadline. */
import { hash } from 'node:crypto';
import pg, { type ClientConfig } from 'pg';
import { StartupError } from '../../errors.ts';
import { ConnectionLost, endsConnection, mayBeOutdated } from './failures.ts';
import { errorOfConfig, guardParser } from './pg-traps.ts';

export type Row = readonly unknown[];

/** Runs a statement and resolves to its rows. A connection prepares each statement with parameters once. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The names of prepared statements. All processes use the same, since a pooler may share sessions between them. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? hash('sha256', text, 'base64url');
  names.set(text, name);
  return name;
}

/** The longest wait for a server to confirm the end of a connection, in milliseconds. */
const GOODBYE_MS = 500;
/** A younger session is not replaced after a refusal, since a new session would be refused for the same cause. */
const OUTDATED_MS = 500;

/**
 * Settings of the session, which a reload of the server's settings does not change. Commits wait for the disk, arrays
 * can contain NULL, and YugabyteDB looks up the keys of a batch together. They are selected from pg_settings, since
 * other servers with PostgreSQL's protocol lack some of them.
 */
const SETTINGS = `SELECT set_config(name, CASE setting WHEN 'off' THEN 'on' ELSE setting END, false) FROM pg_settings
  WHERE name IN ('array_nulls', 'synchronous_commit')
  UNION ALL SELECT set_config(name, '1024', false) FROM pg_settings
    WHERE name = 'yb_insert_on_conflict_read_batch_size'`;

/** A connection. Its failures never end the process. */
export class Session extends pg.Client {
  /** When the session was opened, a time of performance.now(). */
  openedAt = 0;
  isLost = false;
  readonly #timeout: number;
  readonly #configError: unknown;

  /** `timeout`: the longest that preparing the session or running a statement may take, in milliseconds. */
  constructor(config: ClientConfig, timeout: number) {
    const configError = errorOfConfig(config);
    super(configError === undefined ? config : {});
    this.#configError = configError;
    this.#timeout = timeout;
    // pg-pool listens for 'error' only while a connection is idle. An 'error' without a listener ends the process:
    // https://github.com/brianc/node-postgres/issues/3630
    this.on('error', () => this.lose());
    this.on('end', () => this.lose());
    guardParser(this);
  }

  /** Resolves when the session can be used. pg-pool calls this with a callback. */
  override connect(callback?: Parameters<pg.Client['connect']>[0]): Promise<this> {
    const opened = this.open();
    const done = callback as ((error: unknown) => void) | undefined;
    if (done !== undefined) opened.then(() => done(null), done);
    return opened;
  }

  protected async open(): Promise<this> {
    try {
      if (this.#configError !== undefined) throw this.#configError;
      await super.connect();
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
    // The server stops working on a statement when its client no longer waits.
    await run(`SET statement_timeout = ${this.#timeout}`);
    const [isReadOnly] = await run('SHOW transaction_read_only');
    if (isReadOnly?.[0] !== 'off') throw new StartupError('it is read-only');
    await run(SETTINGS);
  }

  /**
   * Runs a statement. Rejects with a DatabaseError or with ConnectionLost. Closes the connection at `deadline` (a
   * performance.now() time): a late result would reach the wrong request.
   */
  async ask(
    text: string,
    values: readonly unknown[] = [],
    deadline = performance.now() + this.#timeout,
  ): Promise<readonly Row[]> {
    const allowed = deadline - performance.now();
    // A call may have used most of its time before this statement. The server may then be well.
    const late = () => this.cut(new Error('no response in time'), allowed > this.#timeout / 2);
    const timer = setTimeout(late, Math.max(0, allowed));
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
    // pg-pool's callback takes no argument.
    (callback as (() => void) | undefined)?.();
  }

  /**
   * Closes the connection without telling the server. A statement under way rejects with `why`. `concernsOthers`:
   * whether other sessions may be lost, too.
   */
  cut(why?: Error, concernsOthers = true): void {
    this.lose(concernsOthers);
    this.connection.stream.destroy(why);
  }

  /** Called, possibly more than once, when the connection can no longer be used. */
  protected lose(_concernsOthers = true): void {
    this.isLost = true;
  }
}
