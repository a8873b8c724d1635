/** What a service with a planted defect tells the program that started it: the ground truth of a run. */
import type { Observe } from '../http/pipeline.ts';

export interface Counts {
  /** Requests that could have met the defect: those of its operation. */
  met: number;
  /** Responses, or stored states, that it changed. */
  shown: number;
  /** All requests. */
  requests: number;
  /** Responses of operations below 300. */
  succeeded: number;
  /** Requests with an Authorization field. */
  credentials: number;
}

/** The counts go through the channel of messages alone: nothing that speaks HTTP can read them. */
export function createCounter(operation: string, send: (counts: Counts) => void) {
  const counts: Counts = { met: 0, shown: 0, requests: 0, succeeded: 0, credentials: 0 };
  let isScheduled = false;
  const changed = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      send(counts);
    });
  };
  const observe: Observe = (exchange, { status }) => {
    counts.requests++;
    if (exchange.request.headers.authorization !== undefined) counts.credentials++;
    if (exchange.operation !== undefined && status < 300) counts.succeeded++;
    if (operation === 'any' || operation === exchange.operation?.id) counts.met++;
    changed();
  };
  const shown = () => {
    counts.shown++;
    changed();
  };
  return { observe, shown };
}

/** To the process that started this one with a message channel, if there is one. */
export function tellParent(counts: Counts): void {
  // It may be gone, and this process be about to follow.
  if (process.connected) process.send?.(counts, undefined, undefined, () => undefined);
}
