/** Finds the address of a client, also behind trusted proxies. */

import type { IncomingMessage } from 'node:http';
import { addressList, type ClientAddress, clientAddress, readAddress } from '../http/address.ts';
import type { Logger } from '../observe/log.ts';

/** A /48 network of IPv6 has this many times the maximum of sandboxes and the rates of one /64 network. */
export const SITE_FACTOR = 4;

export type AddressReader = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => ClientAddress;

/** `trusted` lists proxies by address or network, such as 10.0.0.0/8. Only their X-Forwarded-For is used. */
export function addressReader(trusted: readonly string[], log: Pick<Logger, 'warn'>): AddressReader {
  const isTrusted = addressList(trusted);
  let hasWarned = false;
  const warnOnce = (proxy: string) => {
    if (hasWarned) return;
    hasWarned = true;
    const advice =
      'If it is your proxy, add its address to --trust-proxy: until then all its clients count as one address.';
    log.warn({ from: proxy }, `a client that is not a trusted proxy sent X-Forwarded-For. ${advice}`);
  };
  return ({ socket, headers }) => {
    const peer = readAddress(socket.remoteAddress ?? '');
    const field = headers['x-forwarded-for'];
    if (peer === undefined) return { network: '', site: undefined };
    if (field === undefined) return clientAddress(peer);
    if (!isTrusted(peer)) warnOnce(peer);
    const forwarded = String(field).split(',');
    let address = peer;
    // Each proxy appends the address of its client. Entries before the first untrusted address may be forged.
    while (isTrusted(address)) {
      const next = readAddress(forwarded.pop()?.trim() ?? '');
      if (next === undefined) break;
      address = next;
    }
    return clientAddress(address);
  };
}
