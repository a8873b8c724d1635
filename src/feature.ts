/**
 * The interface of a feature, a part of the service that is loaded only when the configuration asks for it.
 *
 * 1. The program lists every FeatureEntry (features/entry.ts). Its options are always part of the command line.
 * 2. The command `serve` calls `prepare` of each entry.
 * 3. If the configuration asks for the feature, `load` imports its code and returns an OpenFeature.
 * 4. The service calls the OpenFeature once its engine is open, and gets the Feature.
 */
import type { Credential, IsValid } from './auth/credential.ts';
import type { TokenStore } from './auth/token.ts';
import type { ServeConfig } from './config.ts';
import type { AnyResult, Operation, Parameter } from './contract/operation.ts';
import type { Api } from './http/api.ts';
import type { Observe, Steps } from './http/pipeline.ts';
import type { Reserve } from './http/reserve.ts';
import type { Logger } from './observe/log.ts';
import type { Metric } from './observe/metrics.ts';
import type { PageParts } from './page/site.ts';
import type { StoreName } from './plants/plant.ts';
import type { Created, PlantStore, Precondition } from './plants/plant-store.ts';
import type { Engine } from './stores/engine.ts';

/** The types of the parts that a feature can wrap, so that code of a feature needs few other files. */
export type { AnyResult, Created, Credential, Engine, Observe, Parameter, PlantStore, Precondition, Steps };

/** A wrapping member gets the part as earlier features have wrapped it, so the last feature is the outermost. */
export interface Feature {
  /** Makes the Apis of the feature. Called once, when every feature has wrapped the parts. */
  apis?(composed: Composed): readonly Api[];
  /** Called once with the operations of every Api. Throws a StartupError if an option does not suit them. */
  onOperations?(operations: readonly Operation[]): void;
  /** The parts of the documentation page beside the reference. */
  readonly page?: PageParts;
  /** Wraps each operation of every Api, for example to change a schema or the scopes. */
  readonly operation?: (operation: Operation) => Operation;
  /** Wraps the steps of requests, but not those of the admin listener, which has no features. */
  readonly steps?: (steps: Steps) => Steps;
  /** Header fields that pages of other origins may read, in addition to those of the store's API. */
  readonly exposedFields?: readonly string[];
  /** Wraps the budget of long requests and responses that wait for their clients. */
  readonly reserve?: (own: Reserve) => Reserve;
  readonly plants?: (plants: PlantStore) => PlantStore;
  readonly tokens?: (tokens: TokenStore) => TokenStore;
  /** Wraps each attempt to send a message of a webhook. */
  readonly deliver?: (own: Deliver) => Deliver;
  /** Wraps the look-up whether the credential with an id is still valid. */
  readonly isValid?: (own: IsValid) => IsValid;
  /** Scopes of the feature that the first token and the token of the configuration have. */
  readonly scopes?: readonly string[];
  /** Each is called with every response, after the step `finish`. */
  readonly observers?: readonly Observe[];
  readonly metrics?: readonly Metric[];
  /** Called after the listener has closed and before the engine closes. */
  close?(): void | Promise<void>;
}

/** The parts of the service as requests use them, wrapped by every feature. */
export interface Composed extends Pick<Steps, 'authenticate'> {
  readonly plants: PlantStore;
  readonly reserve: Reserve;
  readonly deliver: Deliver;
  readonly isValid: IsValid;
  /** The operations of every Api. The list is complete when the service listens. */
  readonly operations: readonly Operation[];
}

/** The parts of the service that a feature can use. */
export interface FeatureContext {
  readonly config: ServeConfig;
  readonly engine: Engine;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/** A message of a webhook. */
export interface Message {
  /** The `webhook-id`: the same in each attempt. */
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

/** An attempt to send a message of a webhook. */
export interface Delivery {
  readonly store: StoreName;
  /** The id of the credential that the webhook belongs to. */
  readonly credential: string;
  readonly message: Message;
  /** The message that follows it, if it is known yet. */
  readonly next: Message | undefined;
  /** The time of the attempt, in seconds since 1970. */
  readonly seconds: number;
  /** The header fields of a message that is sent at a time. */
  sign(message: Message, seconds: number): Readonly<Record<string, string>>;
  /**
   * Sends a message as it is. `duration`: how long its body takes, in milliseconds. Default: 0. `ending`: when it is
   * aborted, the message ends. Default: `signal`. Rejects only with a Problem, if a budget has no room.
   */
  send(
    message: Message,
    headers: Readonly<Record<string, string>>,
    duration?: number,
    ending?: AbortSignal,
  ): Promise<Outcome>;
  /** Waits, and gives the turn of the webhook to others meanwhile. */
  rest(wait: () => Promise<unknown>): Promise<void>;
  /** Aborted when the attempt must end. */
  readonly signal: AbortSignal;
}

/** What became of an attempt. */
export interface Outcome {
  /** Of the response. Undefined: there was none. */
  readonly status?: number;
  /** Why there was no response. */
  readonly failure?: string;
  /** The start of the response's body. */
  readonly response?: string;
  /** How long the receiver asks to wait, in milliseconds. */
  readonly retryAfter?: number;
}

/** Makes an attempt, which may send several messages. Rejects with a StoreFailure if the store cannot serve. */
export type Deliver = (delivery: Delivery) => Promise<Outcome>;

/** Opens a feature, after the engine. If that fails, throws a StartupError with a message of one line. */
export type OpenFeature = (context: FeatureContext) => Feature | Promise<Feature>;
