/** Waits because of faults, and notices clients that leave meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../http/exchange.ts';

/** Waits, but only until the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/**
 * Whether the client has closed the connection, or its side of it. Nothing distinguishes a client that gave up from a
 * client that sends no more and still reads, so a response is owed to both (RFC 9112, 9.5 and 9.6).
 */
export function hasLeft({ request, outgoing }: Exchange): boolean {
  return outgoing.destroyed || request.socket.readableEnded;
}

/** Waits, but only until the client leaves or the service stops. */
export async function pauseWithClient(exchange: Exchange, milliseconds: number): Promise<void> {
  if (hasLeft(exchange)) return;
  const left = new AbortController();
  const leave = () => left.abort();
  const { socket } = exchange.request;
  socket.once('end', leave);
  await pause(milliseconds, AbortSignal.any([exchange.signal, left.signal]));
  socket.off('end', leave);
}
