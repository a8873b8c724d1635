/** A kind of fault. Each file in `kinds` is one kind, and the file's name is the name of the kind. */
import type { AnySuccess, Operation } from '../../../contract/operation.ts';
import type { Problem } from '../../../errors.ts';
import type { Deliver, Delivery, Outcome } from '../../../feature.ts';
import type { Exchange, Staged } from '../../../http/exchange.ts';
import type { Steps } from '../../../http/pipeline.ts';
import type { Response } from '../../../http/response.ts';
import type { Fault, FaultRule } from '../sandbox.generated.ts';

/**
 * A kind of fault. `npm run generate` makes the schema in sandbox.yaml, the table of the guide, the list of kinds and
 * the page's switches from these objects. The hooks run in this order. Without a hook, a step is the same as without a
 * fault.
 */
export interface FaultKind<Needed extends keyof Fault = never> {
  /** What the client, or the receiver of a webhook, gets, as a part of a sentence. */
  readonly does: string;
  /**
   * The members of an example, if it has any, and of further examples with what the client gets. The first is also an
   * example of the header field Fault, which can only have integers and words.
   */
  readonly example?: Members;
  readonly variations?: readonly (readonly [Members, string])[];
  /** The members that must be given, and those that may be given. Each kind also takes `other`. */
  readonly needs?: MemberSchemas;
  readonly allows?: MemberSchemas;
  readonly pageSwitch?: PageSwitch;
  /** Whether the fault chooses the response. Then the page cannot tell from its status what the operation did. */
  readonly choosesResponse?: true;
  /** Whether no request can have the fault, only a delivery of a webhook. */
  readonly isOnlyForDeliveries?: true;

  /** Why an operation cannot have the fault; undefined if it can. `isStream`: undefined until there is a request. */
  reasonAgainst?(fault: Fault, operation: Operation, isStream: boolean | undefined): string | undefined;
  /** Whether the fault can happen to the first request of a connection, or to a later one. */
  reaches?(fault: Fault, isFirst: boolean): boolean;
  /** Whether a request waits because of the fault. */
  waits?(fault: Fault): boolean;
  /** Whether the operation is carried out although its client has left. */
  isLate?(fault: PlannedFault): boolean;
  /** Whether the client gets no response. */
  losesResponse?(fault: PlannedFault): boolean;

  /** Runs before the operation. A Problem replaces the operation. */
  before?(fault: Planned<Needed>, exchange: Exchange): Interruption;
  /** Changes the result of the operation. */
  result?(fault: Planned<Needed>, result: AnySuccess): AnySuccess;
  /** Runs after the commit of the operation, for a fault with `afterCommit`. A Problem replaces the result. */
  after?(fault: Planned<Needed>, exchange: Exchange): Interruption;
  /** Replaces the response. `now`: milliseconds since 1970. */
  response?(fault: Planned<Needed>, now: number): Response;
  /** Replaces the step `write`. */
  write?(fault: Planned<Needed>, exchange: Exchange, response: Response, writing: Writing): void | Promise<void>;

  /**
   * Replaces an attempt to send a message of a webhook. Without this hook no delivery can have the fault. The fault has
   * the members of `needs`, and no others.
   */
  deliver?(fault: Fault & Required<Pick<Fault, Needed>>, delivery: Delivery, sending: Sending): Promise<Outcome>;
  /** Whether a delivery can have the fault. Without this hook every delivery can. */
  canDeliver?(delivery: Delivery): boolean;
}

export interface PageSwitch {
  readonly label: string;
  readonly rule: FaultRule;
}

type Members = Omit<Fault, 'kind'>;
type Interruption = Problem | undefined | Promise<Problem | undefined>;

/** The fault that a request gets. */
export interface PlannedFault extends Fault {
  /** Whether the operation is carried out first. */
  readonly isAfterCommit: boolean;
}
type Planned<Needed extends keyof Fault> = PlannedFault & Required<Pick<Fault, Needed>>;

export interface AppliedFault extends Staged {
  readonly fault: PlannedFault;
  /** The fault as the record of requests shows it. */
  readonly text: string;
  isError: boolean;
  readonly losesResponse: boolean;
}

/** The step `write`, and the number of requests that wait because of faults. */
export interface Writing {
  readonly write: Steps['write'];
  readonly countWaiting: () => number;
}

/** The attempt without a fault, and what large messages need. */
export interface Sending {
  readonly own: Deliver;
  /** Runs work that takes over a millisecond, when it is the turn of the sandbox's address. */
  readonly inTurn: <Result>(work: () => Result) => Promise<Result>;
  /** Counts bytes towards the memory of the sandbox while `run` runs. Throws a Problem if there is no room. */
  readonly reserve: (bytes: number, run: () => Promise<Outcome>) => Promise<Outcome>;
}

/** The schema of a member in sandbox.yaml. Kinds with the same member have the same schema, except `description`. */
export interface MemberSchema {
  readonly description: string;
  readonly [name: string]: string | number | boolean | readonly string[];
}
type MemberSchemas = Readonly<Record<string, MemberSchema>>;

export const integer = (minimum: number, maximum: number | undefined, description: string): MemberSchema => ({
  type: 'integer',
  format: 'int32',
  minimum,
  ...(maximum !== undefined && { maximum }),
  description,
});
export const oneOf = (words: readonly string[], description: string): MemberSchema => ({
  type: 'string',
  enum: words,
  description,
});
