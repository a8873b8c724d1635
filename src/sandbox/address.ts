/** Finds the address of a client, also behind trusted proxies. */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** `trusted` lists proxies by address or network, such as 10.0.0.0/8. Only their X-Forwarded-For is used. */
export function addressReader(trusted: readonly string[]): (request: IncomingMessage) => string {
  const proxies = new BlockList();
  for (const one of trusted) {
    const [address = '', bits] = one.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return ({ socket, headers }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    let address = plain(socket.remoteAddress ?? '');
    // Each proxy appends the address of its client. Entries before the first untrusted address may be forged.
    while (isIP(address) !== 0 && isTrusted(address)) {
      const next = plain(forwarded.pop()?.trim() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return network(address);
  };
}

/** An IPv4 address without the prefix that a dual-stack socket gives it. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** The /64 network of an IPv6 address, since one client usually has all of it. */
function network(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':');
}
