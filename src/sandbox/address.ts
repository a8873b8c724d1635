/** Finds the address of a client, also behind trusted proxies. */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6, SocketAddress } from 'node:net';
import type { Logger } from '../observe/log.ts';

/** An address as limits count it: one client usually has a whole network of IPv6. */
export interface ClientAddress {
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
  /** The /48 network of an IPv6 address, which has 65,536 networks. Undefined for IPv4. */
  readonly site: string | undefined;
}

export type AddressReader = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => ClientAddress;

/** `trusted` lists proxies by address or network, such as 10.0.0.0/8. Only their X-Forwarded-For is used. */
export function addressReader(trusted: readonly string[], log: Pick<Logger, 'warn'>): AddressReader {
  const proxies = new BlockList();
  for (const one of trusted) {
    const [address = '', bits] = one.split('/');
    const family = familyOf(address);
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => proxies.check(address, familyOf(address));
  let hasWarned = false;
  const warnOnce = (proxy: string) => {
    if (hasWarned) return;
    hasWarned = true;
    const advice = 'If that is your proxy, add it to --trust-proxy: until then all its clients count as one address.';
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

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Reads an address in any spelling, with or without a port. Returns the usual spelling: IPv4 also for an address that
 * an IPv6 socket shows as ::ffff:1.2.3.4. Undefined if the text is no address.
 */
function readAddress(text: string): string | undefined {
  const [withoutZone = ''] = text.split('%');
  const address = SocketAddress.parse(isIPv6(withoutZone) ? `[${withoutZone}]` : text)?.address;
  return address?.replace(/^::ffff:(?=\d+\.)/, '');
}

function clientAddress(address: string): ClientAddress {
  if (!isIPv6(address)) return { network: address, site: undefined };
  const [head = '', tail = ''] = address.split('::');
  const [left, right] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right];
  return { network: groups.slice(0, 4).join(':'), site: groups.slice(0, 3).join(':') };
}
