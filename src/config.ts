/** The configuration of every service. A feature adds options of its own in its folder. */
import type { LogLevel } from './observe/log.ts';

/**
 * Each member is the option of the same name. The help in `src/cli/options.ts` explains it, with its default and its
 * range. Times are in milliseconds, and sizes in bytes.
 */
export interface ServeConfig {
  readonly demo: boolean;
  readonly host: string;
  readonly port: number;
  readonly reusePort: boolean;
  readonly database: string;
  readonly databaseConnections: number;
  readonly databaseTimeout: number;
  /** Without a slash at its end. Undefined: links are relative. */
  readonly baseUrl: string | undefined;
  readonly noDocs: boolean;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly token: string | undefined;
  readonly jwtIssuer: string | undefined;
  readonly jwtAudience: string | undefined;
  readonly jwksUrl: string | undefined;
  readonly jwtTyp: string;
  readonly rateLimit: RateLimit | undefined;
  readonly maxBody: number;
  readonly maxHeader: number;
  readonly requestTimeout: number;
  readonly idleTimeout: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly maxQueue: number;
  readonly maxUnread: number;
  readonly drainTimeout: number;
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  readonly trustProxy: readonly string[] | undefined;
  readonly slowRequest: number;
  /** Undefined: false. `plantstore serve` always sets it. */
  readonly accessLog: boolean | undefined;
  readonly logLevel: LogLevel;
}

export interface RateLimit {
  /** Requests that a window allows. */
  readonly quota: number;
  /** Seconds that a window lasts, from a credential's first request in it. */
  readonly window: number;
}
