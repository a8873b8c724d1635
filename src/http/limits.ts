/** Owns the limits of what callers may ask of the service; each is an option of the command line. */
export interface Limits {
  /** Bytes of a request body at the most. */
  readonly maxBody: number;
  /** Bytes of a request's line and header fields at the most. */
  readonly maxHeader: number;
  /** Milliseconds that a request may take to arrive. */
  readonly requestTimeout: number;
  /** Bytes of long answers that may wait for their callers at the most, over all connections. */
  readonly maxUnread: number;
  /** Connections at once at the most; further ones are closed as they come. */
  readonly maxConnections: number;
}
