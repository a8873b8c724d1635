/** The configuration of every service. A feature adds options of its own in its folder. */
import type { LogLevel } from './observe/log.ts';

/** Each member is the option of the same name; `src/cli/options.ts` has their flags, defaults and help. */
export interface ServeConfig {
  /** Runs a demo: a temporary database with about 50 plants and the token `demo`. Default: false. */
  readonly demo: boolean;
  /** The address or host name to listen on. Default: 127.0.0.1. */
  readonly host: string;
  /** The TCP port to listen on, 0 to 65,535; 0 picks a free port. Default: 8080. */
  readonly port: number;
  /** Whether other processes may listen on the same port. The system spreads connections over them. Default: false. */
  readonly reusePort: boolean;
  /** `sqlite:PATH`, `postgres://…`, or `temporary`: a file, deleted at the end. Default: sqlite:data/plants.db. */
  readonly database: string;
  /** The most connections to PostgreSQL, 1 to 1,000. Default: 10. */
  readonly databaseConnections: number;
  /** The longest time that a request waits for PostgreSQL, in milliseconds, below 2^31. Default: 5,000. */
  readonly databaseTimeout: number;
  /** The absolute URL that clients put before every path, without a slash at its end. Undefined: links are relative. */
  readonly baseUrl: string | undefined;
  /** Leaves out the documentation page and the guide. Default: false. */
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
  /** The `typ` header that a JWT must have; `any` accepts all. Default: at+jwt. */
  readonly jwtTyp: string;
  /** How many requests one credential may send. Undefined: no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** The largest request body in bytes, 1 to 524,288. Default: 65,536. */
  readonly maxBody: number;
  /** The largest request line with all header fields in bytes, 1,024 to 1,048,576. Default: 16,384. */
  readonly maxHeader: number;
  /** Longest time for a request to arrive, and longest pause in reading its response. Milliseconds. Default: 10,000. */
  readonly requestTimeout: number;
  /** How long a connection may wait for its next request, in milliseconds, up to a day. Default: 65,000. */
  readonly idleTimeout: number;
  /** The most connections at the same time, 1 to 1,000,000. Default: 10,000. */
  readonly maxConnections: number;
  /**
   * The most connections from one address, or from one /48 site of IPv6, at the same time, 1 to 1,000,000. It does
   * not apply to `trustProxy`. Default: 2,500.
   */
  readonly maxConnectionsPerAddress: number;
  /** The most writes that wait for their commit, 1 to 10,000,000. Default: 10,000. */
  readonly maxQueue: number;
  /** The most bytes of long bodies and responses that wait for their clients, 16 MiB to 1 TiB. Default: 128 MiB. */
  readonly maxUnread: number;
  /** How long accepted requests may take to finish when the service stops, in milliseconds. Default: 10,000. */
  readonly drainTimeout: number;
  /** The address of the admin listener with /metrics. Undefined: there is none. */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  /**
   * Addresses and networks of proxies. Their X-Forwarded-For is trusted, and `maxConnectionsPerAddress` does not apply
   * to them. Undefined: none.
   */
  readonly trustProxy: readonly string[] | undefined;
  /** Requests that take longer than this are logged. Milliseconds. Default: 1,000. */
  readonly slowRequest: number;
  /** Whether every request is logged. Undefined: false; `plantstore serve` turns it on at a terminal and in a demo. */
  readonly accessLog: boolean | undefined;
  /** The least severe level that is logged. Default: info. */
  readonly logLevel: LogLevel;
}

export interface RateLimit {
  /** Requests that a window allows. */
  readonly quota: number;
  /** Seconds that a window lasts, from a credential's first request in it. */
  readonly window: number;
}
