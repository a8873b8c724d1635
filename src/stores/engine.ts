/** Owns what an engine offers the composition root, whichever it is. */
import type { TokenStore } from '../auth/token-store.ts';
import type { PlantStore } from '../plants/plant-store.ts';

export interface EngineOptions {
  /** How many writes may wait for their commit; one more is refused as overloaded. */
  readonly queueLimit: number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /**
   * Told once when the engine can no longer be trusted and every write is refused from then on. `close` then leaves files
   * open, since to close them may write: the process has to end by `process.exit`, which does not close them either.
   */
  readonly onFatal: (cause: unknown) => void;
  /** Told of every group commit: its writes, and its seconds until it was on stable storage. */
  readonly onCommit?: ((writes: number, seconds: number) => void) | undefined;
}

export interface Engine {
  /** Where the data is, for people to read; never a password. */
  readonly location: string;
  readonly plants: PlantStore;
  readonly tokens: TokenStore;
  /** How many writes wait for their commit now. */
  readonly queueLength?: () => number;
  /** The secret that list cursors are authenticated with; the same in every process on this data. */
  readonly cursorKey: Uint8Array;
  /** Waits for what was accepted, then lets go of the data. */
  close(): Promise<void>;
}

/** As much of an engine as the token commands need. */
export type TokenEngine = Pick<Engine, 'location' | 'tokens' | 'close'>;
