/** The errors that the service throws, and the error numbers of the store's API. */

/**
 * The error numbers of the store's API, and when each is sent. A number is its HTTP status followed by two digits. A
 * feature declares further numbers in its folder, and the list of features composes all of them.
 */
export const storeErrors = {
  40001: 'The body is absent or empty.',
  40002: 'The Content-Type is not application/json (charset=utf-8 is allowed), or the body has a Content-Encoding.',
  40003: 'The body is over the size limit.',
  40004: 'The body is not JSON, or not UTF-8.',
  40005: 'The body is JSON but does not match the schema.',
  40006: 'A path, query or header parameter is wrong, or the request is not well-formed HTTP.',
  40009: 'The id is already taken by a different plant.',
  40100: 'The request has no token, or an empty one.',
  40101: 'The token is unknown, revoked or malformed, or it is a JWT that cannot be verified.',
  40102: 'The token has expired.',
  40300: 'The token lacks the scope that the operation needs.',
  40400: 'The path does not exist.',
  40401: 'No plant has this id.',
  40500: 'The path does not allow this method. The header field Allow lists the methods that it allows.',
  41200: 'If-Match does not name the current version of the plant, or If-None-Match names it. Nothing was changed.',
  42900: 'The rate limit of the token is used up. Wait the number of seconds in Retry-After.',
  50000: 'The service failed. Search its log for the request id.',
  50300:
    'The store or the issuer of a JWT cannot be reached. The page Safe retries explains when to repeat the request.',
  50301: 'The service is overloaded. The page Safe retries explains when to repeat the request.',
  50302: 'The store is out of space. Nothing was stored.',
} as const;

/** Every error number with its text. The list of features adds the numbers of the features to this interface. */
export interface Catalogue extends Readonly<Record<keyof typeof storeErrors, string>> {}

export type ErrorCode = keyof Catalogue;

export type StatusOf<Code extends ErrorCode> = `${Code}` extends `${infer A}${infer B}${infer C}${string}${string}`
  ? `${A}${B}${C}` extends `${infer Status extends number}`
    ? Status
    : never
  : never;

/**
 * An error as a client sees it. Handlers return it, and every other step of the pipeline throws it. `message` names
 * every wrong field and what would be right. It may repeat a value of the client: the response takes tokens out of it.
 */
export class Problem<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'Problem';
  readonly code: Code;
  /** Further header fields of the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The unavailable part, if that is the cause: the store, the issuer of a JWT, or capacity of this process. */
  readonly unavailable: StoreFailure | 'issuer' | 'capacity' | undefined;
  /** Why a token was refused, only for the log. Never the token or a part of it. */
  readonly why: string | undefined;

  constructor(
    code: Code,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    { unavailable, why }: Partial<Pick<Problem, 'unavailable' | 'why'>> = {},
  ) {
    // Nobody sees the stack of a Problem. Without it, a flood of wrong requests takes a tenth less time.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.headers = headers;
    this.unavailable = unavailable;
    this.why = why;
  }

  get status(): number {
    return Math.floor(this.code / 100);
  }
}

/** A Problem that disappears after some time. Its message and its `Retry-After` name the same number of seconds. */
export function retryLater<Code extends ErrorCode>(
  code: Code,
  what: string,
  seconds: number,
  unavailable?: Problem['unavailable'],
): Problem<Code> {
  return new Problem(code, `${what}; retry after ${seconds} s.`, { 'Retry-After': String(seconds) }, { unavailable });
}

/** Why an engine could not perform an operation. They are the same for every engine, and are labels of a metric. */
export type StoreFailureReason = 'unreachable' | 'overloaded' | 'out_of_space';

export const STORE_FAILURES: Readonly<Record<StoreFailureReason, string>> = {
  unreachable: 'the store is unreachable',
  overloaded: 'the store is overloaded',
  out_of_space: "the store's disk is full; free space",
};

/** An engine could not perform an operation. A failed write may still have been committed. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  readonly reason: StoreFailureReason;
  /** Whether repeating the command is useless until an operator does what `message` asks for. */
  readonly lasting: boolean;

  constructor(reason: StoreFailureReason, cause?: unknown, message = STORE_FAILURES[reason], lasting = false) {
    super(message, { cause });
    this.reason = reason;
    this.lasting = lasting;
  }

  /** What a command prints. The user of a command must fix the cause, and has no log to look it up in. */
  get shown(): string {
    // Any other message already names the cause.
    return this.message === STORE_FAILURES.unreachable ? this.why : this.message;
  }

  /** The messages of this failure and of all its causes, in one line. */
  get why(): string {
    const reasons: string[] = [];
    // An AggregateError, which Node throws when every address of a host fails, has a code but no message.
    for (let error: unknown = this; Error.isError(error); error = error.cause) {
      reasons.push(error.message || ('code' in error ? String(error.code) : error.name));
    }
    return reasons.join(': ');
  }
}

/** A failure that ends the command with its message as one line, without a stack trace. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The named database does not exist, and the command does not create one. */
export class NoDatabase extends StartupError {}
