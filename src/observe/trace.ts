/** The client's trace: the ids of a W3C traceparent (https://www.w3.org/TR/trace-context/, 3.2.2). */

/** No id may be all zeros, and version 00 has nothing behind its flags. */
const TRACEPARENT = /^(?!ff|00-.{53})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;

/** Log fields for a request's traceparent; none where it is absent or not well-formed. */
export function traceFields(traceparent: unknown): { readonly traceId?: string; readonly spanId?: string } {
  if (typeof traceparent !== 'string') return {};
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined || spanId === undefined ? {} : { traceId, spanId };
}
