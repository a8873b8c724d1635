/** The address of a client, as the limits of sandboxes count it. */

import { type AddressReader, addressList, addressReader, readAddress } from '../../http/connections/peers.ts';
import type { Logger } from '../../observe/log.ts';

/** A /48 network of IPv6 has this many times the maximum of sandboxes and the rates of one /64 network. */
export const SITE_FACTOR = 4;

/** Reads the address of a client, and warns once of a proxy that is not trusted. */
export function warningReader(trusted: readonly string[], log: Pick<Logger, 'warn'>): AddressReader {
  const isTrusted = addressList(trusted);
  const addressOf = addressReader(trusted);
  let hasWarned = false;
  return (request) => {
    const { socket, headers } = request;
    const peer = readAddress(socket.remoteAddress ?? '');
    if (!hasWarned && peer !== undefined && headers['x-forwarded-for'] !== undefined && !isTrusted(peer)) {
      hasWarned = true;
      const advice =
        'If it is your proxy, add its address to --trust-proxy: until then all its clients count as one address.';
      log.warn({ from: peer }, `a client that is not a trusted proxy sent X-Forwarded-For. ${advice}`);
    }
    return addressOf(request);
  };
}
