/** Owns the caller's trace in our log: the ids of a W3C traceparent (https://www.w3.org/TR/trace-context/, 3.2.2). */

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;
const NO_TRACE = '0'.repeat(32);

/** Log fields for a request's traceparent; none where it is absent or not well-formed. */
export function traceFields(traceparent: unknown): { readonly traceId?: string; readonly spanId?: string } {
  if (typeof traceparent !== 'string') return {};
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined || spanId === undefined || traceId === NO_TRACE ? {} : { traceId, spanId };
}
