/** The address of a client, as the limits of sandboxes count it. */
import { addressList, type ClientAddress, readAddress } from '../../http/connections/client-address.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Logger } from '../../observe/log.ts';

/** A /48 network of IPv6 has this many times the maximum of sandboxes and the rates of one /64 network. */
export const SITE_FACTOR = 4;

/** Returns the address of a client. */
export type AddressReader = (exchange: Exchange) => ClientAddress;

/** Warns once of a proxy that is not trusted. */
export function warningReader(trusted: readonly string[], log: Pick<Logger, 'warn'>): AddressReader {
  const isTrusted = addressList(trusted);
  let hasWarned = false;
  return ({ address, request: { socket, headers } }) => {
    if (hasWarned || headers['x-forwarded-for'] === undefined) return address;
    const from = readAddress(socket.remoteAddress ?? '');
    if (from === undefined || isTrusted(from)) return address;
    hasWarned = true;
    const advice =
      'If it is your proxy, add its address to --trust-proxy: until then all its clients count as one address.';
    log.warn({ from }, `a client that is not a trusted proxy sent X-Forwarded-For. ${advice}`);
    return address;
  };
}
