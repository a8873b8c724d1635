/** The counts of a service with a planted defect. The grader compares them with the tester's report. */
import type { Observe } from '../../src/feature.ts';

export interface Counts {
  /** Requests that could have triggered the defect: those for its operation. */
  readonly candidates: number;
  /** Responses, or stored states, that the defect changed. */
  readonly triggered: number;
  readonly requests: number;
  /** Responses of operations below 300. */
  readonly succeeded: number;
  /** Requests with an Authorization field. */
  readonly credentials: number;
  /**
   * When the defect first showed: in which request, from 1, and how long after the beginning of the first request.
   * Absent if it never showed.
   */
  readonly first?: { readonly requests: number; readonly milliseconds: number };
  /** Each operation with each status of its responses, such as `getPlant 404`. */
  readonly reached: readonly string[];
}

/** The counts of a service that got no request. */
export const NO_COUNTS: Counts = {
  candidates: 0,
  triggered: 0,
  requests: 0,
  succeeded: 0,
  credentials: 0,
  reached: [],
};

export interface Counter {
  readonly observe: Observe;
  /** Counts a response, or a stored state, that the defect has changed. */
  count(): void;
}

/** The counts are sent only through the channel to the grader, so that no tester can read them by HTTP. */
export function createCounter(operation: string, send: (counts: Counts) => void): Counter {
  let counts = NO_COUNTS;
  /** Times by performance.now(). */
  let began = Number.POSITIVE_INFINITY;
  let first: { readonly requests: number; readonly at: number } | undefined;
  let isScheduled = false;
  const change = (more: Partial<Counts>) => {
    counts = { ...counts, ...more };
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const shown = first && { requests: first.requests, milliseconds: Math.max(0, Math.round(first.at - began)) };
      send(shown === undefined || began === Number.POSITIVE_INFINITY ? counts : { ...counts, first: shown });
    });
  };
  const observe: Observe = (exchange, { status }) => {
    const { operation: asked, request } = exchange;
    began = Math.min(began, exchange.began);
    const pair = `${asked?.id} ${status}`;
    change({
      requests: counts.requests + 1,
      credentials: counts.credentials + Number(request.headers.authorization !== undefined),
      succeeded: counts.succeeded + Number(asked !== undefined && status < 300),
      candidates: counts.candidates + Number(operation === 'any' || operation === asked?.id),
      ...(asked !== undefined && !counts.reached.includes(pair) && { reached: [...counts.reached, pair].sort() }),
    });
  };
  return {
    observe,
    count() {
      first ??= { requests: counts.requests + 1, at: performance.now() };
      change({ triggered: counts.triggered + 1 });
    },
  };
}
