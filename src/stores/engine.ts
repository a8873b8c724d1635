/** What every engine offers, to the service and to the commands. */
import type { TokenStore } from '../auth/token.ts';
import type { PlantStore } from '../plants/plant-store.ts';
import type { FurtherRows } from './further-rows.ts';

/**
 * What an engine is opened for. `plants`: to read and write everything. `tokens`: to read everything and write tokens.
 * `read`: to change nothing.
 */
export type Access = 'plants' | 'tokens' | 'read';

export interface EngineOptions {
  /** Unless given, `plants`. */
  readonly access?: Access;
  /** Whether an empty database is made where there is none. Unless given, it is, except with the access `read`. */
  readonly create?: boolean;
  /** Written in the transactions of writes. Default: none. */
  readonly furtherRows?: readonly FurtherRows[];
  /** How many writes may wait for their commit; one more is rejected as overloaded. */
  readonly queueLimit: number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /**
   * Called once when the engine can no longer be trusted; every write is rejected from then on. `close` then leaves files
   * open, since to close them may write: the process has to end by `process.exit`, which does not close them either.
   */
  readonly onFatal: (cause: unknown) => void;
  /** Called after every group commit, with the number of its writes and the seconds it took. */
  readonly onCommit?: ((writes: number, seconds: number) => void) | undefined;
}

export interface Checked {
  /** What is wrong with the data, a line each. */
  readonly problems: readonly string[];
  /** How much there is, for people to read; undefined where problems were found. */
  readonly holds?: string;
}

/**
 * SQL that both engines understand, for small tables: its parameters are $1 and so on. Integers are read as bigint. Rejects
 * with a StoreFailure when the engine cannot serve.
 */
export interface Statements {
  read(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** A statement that is a durable transaction of its own; resolves to the rows that it returns. */
  write(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}
export type SqlValue = string | number | null;
export type SqlRow = readonly unknown[];

export interface Engine {
  /** Where the data is, for people to read; never a password. */
  readonly location: string;
  readonly plants: PlantStore;
  readonly tokens: TokenStore;
  readonly statements: Statements;
  /** The secret that list cursors are authenticated with; the same in every process on this data. */
  readonly cursorKey: Uint8Array;
  /** How many writes wait for their commit now. */
  waiting(): number;
  /** Reads all data, beside writers that go on. */
  check(): Promise<Checked>;
  /** What `check` leaves to the engine's own tools, for people to read; undefined when that is nothing. */
  readonly unchecked?: string;
  /**
   * Writes a verified copy to a path, where nothing is yet unless it is to be replaced; undefined where the engine has tools
   * of its own for it.
   */
  backup?(destination: string, replace: boolean): Promise<void>;
  /** Waits for accepted writes, then closes the data. */
  close(): Promise<void>;
}
