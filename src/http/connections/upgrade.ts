/** Finds the bytes that Node's parser drops behind a request with an upgrade, which the service ignores. */
import type { IncomingMessage } from 'node:http';

/** The undocumented part of Node's parser of a socket. */
interface Parser {
  /** At the key `kOnExecute`: called after each chunk, with the number of bytes that were parsed, or with an error. */
  [kOnExecute: number]: ((parsed: number | Error) => void) | null;
  getCurrentBuffer(): Buffer;
  readonly constructor: { readonly kOnExecute?: number };
}

/**
 * A server may ignore an upgrade (RFC 9110, 7.8). Node then reads further requests, but it drops a malformed body and
 * the bytes behind the request in the same chunk. Calls `onDrop` when Node drops bytes. The bytes that arrive next then
 * do not begin a request. Returns false if this version of Node does not show what it drops.
 */
export function watchUpgrade(request: IncomingMessage, onDrop: () => void): boolean {
  const { parser } = request.socket as { readonly parser?: Parser | null };
  const key = parser?.constructor.kOnExecute;
  const onExecute = key === undefined ? undefined : parser?.[key];
  if (parser == null || key === undefined || typeof onExecute !== 'function') return false;
  parser[key] = (parsed) => {
    const isDropped = typeof parsed === 'number' && parsed !== parser.getCurrentBuffer().length;
    if (request.complete || isDropped) parser[key] = onExecute;
    onExecute(parsed);
    if (isDropped) onDrop();
  };
  return true;
}
