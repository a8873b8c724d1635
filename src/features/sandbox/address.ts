/** The address of a client, as the limits of sandboxes count it. */
import type { Exchange } from '../../http/exchange.ts';
import type { Logger } from '../../observe/log.ts';
import type { Sandbox } from './sandbox-records.ts';

/** A /48 network of IPv6 has this many times the maximum of sandboxes and the rates of one /64 network. */
export const SITE_FACTOR = 4;

/**
 * Whose budget and whose turn it is: the first hash of the address. One visitor usually has a whole /48 network of
 * IPv6, so its networks share them.
 */
export function payerOf({ address }: Pick<Sandbox, 'address'>): string {
  return address.split('/', 1)[0] ?? address;
}

/** Returns a function that warns once of a proxy that is not trusted. */
export function createProxyWarning(log: Pick<Logger, 'warn'>): (exchange: Exchange) => void {
  let hasWarned = false;
  return ({ origin, request: { headers } }) => {
    if (hasWarned || headers['x-forwarded-for'] === undefined || !origin?.peer || origin.isProxy) return;
    hasWarned = true;
    const advice =
      'If it is your proxy, add its address to --trust-proxy: until then all its clients count as one address.';
    log.warn({ from: origin.peer }, `a client that is not a trusted proxy sent X-Forwarded-For. ${advice}`);
  };
}
