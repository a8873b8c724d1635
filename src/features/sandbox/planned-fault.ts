/** The fault that a request gets, and what follows from its parameters. */
import type { Steps } from '../../http/pipeline.ts';
import type { Fault } from './sandbox.generated.ts';

/** The fault that a request gets. */
export interface PlannedFault extends Fault {
  /** Whether the operation is carried out first. */
  readonly isAfterCommit: boolean;
}

/** A fault that was applied to a request, and the milliseconds that the request waited because of it. */
export interface AppliedFault {
  readonly fault: PlannedFault;
  waited: number;
}

/** The step `write`, and the number of requests that wait because of faults. */
export interface Writing {
  readonly write: Steps['write'];
  readonly countWaiting: () => number;
}

/** The fault as the request record shows it. */
export function faultText({ kind, other, isAfterCommit }: PlannedFault): string {
  return kind + (isAfterCommit ? ', after commit' : '') + (other === undefined ? '' : `, other client: ${other}`);
}

/** Whether the fault can happen to a request: `isFirst` tells whether it is the first of its connection. */
export function reaches({ connection = 'any' }: Fault, isFirst: boolean): boolean {
  return connection === 'any' || isFirst === (connection === 'first');
}

/** Whether the client gets no response because of the fault. */
export function losesResponse({ kind, part }: Partial<PlannedFault> = {}): boolean {
  return kind === 'reset' || kind === 'close' || part === 'head';
}

/** Whether a request waits because of the fault. */
export const waits = ({ ms, rate }: Fault): boolean => ms !== undefined || rate !== undefined;

/** Whether the operation is carried out although its client has left. */
export const isLate = ({ leave, isAfterCommit }: PlannedFault): boolean => leave === 'continue' && !isAfterCommit;
