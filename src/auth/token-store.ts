/** What every engine that keeps tokens promises. */
import type { StoreName } from '../plants/plant.ts';

/** A token as it is kept: never the token itself. Times are milliseconds since 1970. */
export interface TokenRecord {
  /** SHA-256 of the token, base64url. */
  readonly hash: string;
  readonly name: string;
  readonly store: StoreName;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** Every method rejects with a StoreFailure when the engine cannot serve. */
export interface TokenStore {
  /** Keeps a token, durably. */
  add(record: TokenRecord): Promise<void>;
  /** Keeps a token, durably, if there is none yet; of several replicas that start at once exactly one is told true. */
  addFirst(record: TokenRecord): Promise<boolean>;
  /** Every token, revoked and expired ones too, oldest first. */
  list(): Promise<readonly TokenRecord[]>;
  /** Revokes the tokens of a name, or the one of a hash; resolves to how many it newly revoked. */
  revoke(nameOrHash: string, at: number): Promise<number>;
  /** A number that changes whenever a token is added or revoked, by whichever process; cheap to ask. */
  revision(): Promise<bigint>;
}
