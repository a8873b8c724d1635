/** The configuration of every service. A feature adds options of its own in its folder. */
import type { LogLevel } from './observe/log.ts';

/** Each member is the option of the same name. `src/cli/options.ts` has their defaults, ranges and help. */
export interface ServeConfig {
  /** Runs a demo: a temporary database with about 50 plants and the token `demo`. */
  readonly demo: boolean;
  /** The address or host name to listen on. */
  readonly host: string;
  /** The TCP port to listen on. 0 picks a free port. */
  readonly port: number;
  /** Whether other processes may listen on the same port. The system spreads connections over them. */
  readonly reusePort: boolean;
  /** `sqlite:PATH`, `postgres://…`, or `temporary`: a file, deleted at the end. */
  readonly database: string;
  /** The most connections to PostgreSQL. */
  readonly databaseConnections: number;
  /** The longest time that a request waits for PostgreSQL, in milliseconds. */
  readonly databaseTimeout: number;
  /** The absolute URL that clients put before every path, without a slash at its end. Undefined: links are relative. */
  readonly baseUrl: string | undefined;
  /** Leaves out the reference and the guide. */
  readonly noDocs: boolean;
  /** The file with the certificate chain (PEM). Given together with `tlsKey`, or not at all. */
  readonly tlsCert: string | undefined;
  /** The file with the private key (PEM). */
  readonly tlsKey: string | undefined;
  /** A fixed token with every scope on the store `default`. Undefined: only the tokens in the database are valid. */
  readonly token: string | undefined;
  /** The issuer whose JWTs are accepted, an https URL. Given together with `jwtAudience`, or not at all. */
  readonly jwtIssuer: string | undefined;
  /** The audience that a JWT must be for. */
  readonly jwtAudience: string | undefined;
  /** The URL of the issuer's key set. Undefined: OpenID Connect Discovery finds it. */
  readonly jwksUrl: string | undefined;
  /** The `typ` header that a JWT must have; `any` accepts all. */
  readonly jwtTyp: string;
  /** How many requests one credential may send. Undefined: no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** The largest request body, in bytes. */
  readonly maxBody: number;
  /** The largest request line with all header fields, in bytes. */
  readonly maxHeader: number;
  /** The longest time for a request to arrive, and the longest pause in reading its response, in milliseconds. */
  readonly requestTimeout: number;
  /** How long a connection may wait for its next request, in milliseconds. */
  readonly idleTimeout: number;
  /** The most connections at the same time. */
  readonly maxConnections: number;
  /** The most connections from one address, or from one /48 site of IPv6. It does not apply to `trustProxy`. */
  readonly maxConnectionsPerAddress: number;
  /** The most writes that wait for their commit. */
  readonly maxQueue: number;
  /** The most bytes of long bodies and responses that wait for their clients. */
  readonly maxUnread: number;
  /** How long accepted requests may take to finish when the service stops, in milliseconds. */
  readonly drainTimeout: number;
  /** The address of the admin listener with /metrics. Undefined: there is none. */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  /**
   * Addresses and networks of proxies. Their X-Forwarded-For is trusted, and `maxConnectionsPerAddress` does not apply
   * to them. Undefined: none.
   */
  readonly trustProxy: readonly string[] | undefined;
  /** Requests that take longer than this are logged. Milliseconds. */
  readonly slowRequest: number;
  /** Whether every request is logged. Undefined: false; `plantstore serve` turns it on at a terminal and in a demo. */
  readonly accessLog: boolean | undefined;
  /** The least severe level that is logged. */
  readonly logLevel: LogLevel;
}

export interface RateLimit {
  /** Requests that a window allows. */
  readonly quota: number;
  /** Seconds that a window lasts, from a credential's first request in it. */
  readonly window: number;
}
