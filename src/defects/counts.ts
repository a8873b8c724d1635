/** The counts of a service with a planted defect. The grader compares them with the tester's report. */
import type { Observe } from '../http/pipeline.ts';

export interface Counts {
  /** Requests that could have triggered the defect: those for its operation. */
  candidates: number;
  /** Responses, or stored states, that the defect changed. */
  triggered: number;
  requests: number;
  /** Responses of operations below 300. */
  succeeded: number;
  /** Requests with an Authorization field. */
  credentials: number;
}

export interface Counter {
  readonly observe: Observe;
  /** Counts a response, or a stored state, that the defect has changed. */
  count(): void;
}

/** The counts are sent only through the message channel, so that no tester can read them by HTTP. */
export function createCounter(operation: string, send: (counts: Counts) => void): Counter {
  const counts: Counts = { candidates: 0, triggered: 0, requests: 0, succeeded: 0, credentials: 0 };
  let isScheduled = false;
  const scheduleSend = () => {
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
    if (operation === 'any' || operation === exchange.operation?.id) counts.candidates++;
    scheduleSend();
  };
  return {
    observe,
    count() {
      counts.triggered++;
      scheduleSend();
    },
  };
}
