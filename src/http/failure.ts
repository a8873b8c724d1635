/** Owns what is answered when the service itself failed: opaque outside, told whole in the log. */
import type { IncomingMessage } from 'node:http';
import { Problem, StoreFailure, type StoreFailureReason } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import { requestFields } from './request-fields.ts';

const UNAVAILABLE: Readonly<Record<StoreFailureReason, () => Problem>> = {
  unreachable: () => unavailable(50300, 'unreachable', 'cannot be reached', 1),
  overloaded: () => unavailable(50301, 'overloaded', 'is overloaded', 1),
  'out-of-space': () => unavailable(50302, 'out-of-space', 'is out of space', 10),
};

function unavailable(code: 50300 | 50301 | 50302, reason: StoreFailureReason, what: string, seconds: number): Problem {
  const message = `The store ${what}; retry after ${seconds} s.`;
  return new Problem(code, message, { 'Retry-After': String(seconds) }, reason);
}

/** The answer to a request that an error kept from one, which it writes to the log. */
export function failure(error: unknown, request: IncomingMessage, requestId: string, log: Logger): Problem {
  const fields = requestFields(request, requestId);
  if (error instanceof StoreFailure) {
    // Without a stack: an outage tells this for every request.
    log.error({ ...fields, why: error.why }, 'the store could not serve');
    return UNAVAILABLE[error.reason]();
  }
  log.error({ ...fields, err: error }, 'a request failed');
  return new Problem(50000, "The service failed; its log holds the details under this answer's X-Request-Id.");
}
