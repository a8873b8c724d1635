/** A scenario: the tasks of a client, the faults that it meets, and the right result. */
import type { Json } from '../../../src/contract/json.ts';
import { type NewPlant, operations, type Plant } from '../../../src/contract/openapi.generated.ts';

/** The operation of each kind of task. A task of the kind `list` reads all pages. */
export const OPERATIONS = {
  create: operations.createPlant,
  replace: operations.replacePlant,
  delete: operations.deletePlant,
  get: operations.getPlant,
  list: operations.listPlants,
} as const;

/** One thing to do. */
export interface Task {
  readonly kind: keyof typeof OPERATIONS;
  /** The plant. For `get`, `delete` and `list` only the id counts. */
  readonly plant: NewPlant;
  /** Whether the request has an If-Match with the entity tag that the plant has at the start. */
  readonly isConditional?: true;
}

/** The path of the request; for `list` of the first page. */
export const pathOf = ({ kind, plant }: Task): string => OPERATIONS[kind].path.replace('{id}', String(plant.id));

export interface Scenario {
  readonly name: string;
  /** A sentence about the requests. */
  readonly does: string;
  /** The plants in the store at the start. */
  readonly plants: readonly NewPlant[];
  /** The task that is judged. */
  readonly task: Task;
  /** A task before it, which opens a connection. */
  readonly first?: Task;
  /** The rules of the sandbox. The service refuses a rule that it does not know. */
  readonly rules: readonly Json[];
  /** Another scenario with the same pair looks the same to the client. Its luck in one of them does not count. */
  readonly pair?: string;
  /** The plant as another writer leaves it. */
  readonly other?: Plant;
  /** The milliseconds that a client must wait because of Retry-After. */
  readonly retryAfter?: number;
  /** The longest time-out of an attempt, in milliseconds. With a longer one, the response would come in time. */
  readonly maxAttempt?: number;
  /** The plants that another writer may have added while a list was read. */
  readonly added?: readonly NewPlant[];
  /**
   * `failure`: the service refuses the request for good. `open`: no client can find out, or no attempt ever succeeds,
   * so an honest "unknown" is right. Default: a client that repeats with care succeeds.
   */
  readonly right?: 'failure' | 'open';
}
