/** Waits because of faults, and notices clients that leave meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../../http/exchange.ts';

/** Waits, but only until the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Waits, but only until the client leaves or the service stops. */
export function pauseWithClient(exchange: Exchange, milliseconds: number): Promise<void> {
  return exchange.withClient((signal) => pause(milliseconds, signal));
}
