/** The interface of every engine, for the service and for the commands. */
import type { TokenStore } from '../auth/token.ts';
import type { PlantStore } from '../plants/plant-store.ts';

/**
 * What an engine may do with the data. `plants`: read and write everything. `tokens`: read everything and write tokens.
 * `read`: change nothing.
 */
export type Access = 'plants' | 'tokens' | 'read';

export interface EngineOptions {
  /** Default: `plants`. */
  readonly access?: Access;
  /** Whether to create a database where there is none. Default: true, or false with the access `read`. */
  readonly create?: boolean;
  /** The most writes that may wait for their commit. A further write is rejected as overloaded. */
  readonly queueLimit: number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /**
   * Called once when the engine can no longer be trusted. From then on it rejects every write, and `close` leaves files
   * open, since closing them may write. The process must end with `process.exit`, which does not close them either.
   */
  readonly onFatal: (cause: unknown) => void;
  /** Called after the tables of an earlier version were updated, with the versions of the tables before and now. */
  readonly onUpgrade?: ((from: number, to: number) => void) | undefined;
  /** Called after every group commit with the number of its writes and its duration in seconds. */
  readonly onCommit?: ((writes: number, seconds: number) => void) | undefined;
}

export interface Checked {
  /** The problems that were found, one line each. */
  readonly problems: readonly string[];
  /** Describes the amount of data. Undefined if problems were found. */
  readonly holds?: string;
}

/**
 * Runs SQL that both engines understand, for small tables. Parameters: $1, $2 and so on. Integers become bigint.
 * Rejects with a StoreFailure when the engine cannot serve.
 */
export interface Statements {
  read(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Runs a statement as one durable transaction. Resolves to the rows that it returns. */
  write(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}
export type SqlValue = string | number | null;
export type SqlRow = readonly unknown[];

/**
 * Whether every process on the data writes events. That is a fact of the data, not of a process: a process notices a
 * change before its next write.
 */
export interface EventSwitch {
  /**
   * Resolves to the time in milliseconds since 1970, by the clock that dates events. On PostgreSQL, the clock of a
   * process may differ from it.
   */
  now(): Promise<number>;
  /** Resolves to the name of the present period. Undefined: events are off. */
  period(): Promise<string | undefined>;
  /** Turns events on, unless they are on. Every write that begins after this resolved makes its events. */
  turnOn(): Promise<void>;
  /** Turns events off. They stay until they are removed. */
  turnOff(): Promise<void>;
}

export interface Engine {
  /** Describes where the data is, without any password. */
  readonly location: string;
  readonly plants: PlantStore;
  readonly tokens: TokenStore;
  readonly statements: Statements;
  readonly events: EventSwitch;
  /** The secret key for list cursors. Every process on this data has the same key. */
  readonly cursorKey: Uint8Array;
  /** The number of writes that wait for their commit now. */
  waiting(): number;
  /** Reads all data. Writers can continue meanwhile. */
  check(): Promise<Checked>;
  /** Describes what `check` does not check. Undefined if it checks everything. */
  readonly unchecked?: string;
  /**
   * Writes a verified copy to a path. Rejects if a file exists there, unless `replace` is true. Undefined if the engine
   * has its own tools for backups.
   */
  backup?(destination: string, replace: boolean): Promise<void>;
  /** Waits for accepted writes and then closes the data. */
  close(): Promise<void>;
}
