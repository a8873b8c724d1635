/** The address that a request comes from, behind proxies that are trusted. */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** `trusted`: addresses or networks of proxies, such as 10.0.0.0/8. X-Forwarded-For counts from these alone. */
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
    // Each proxy adds the address that it was asked from: what stands before the first that is not trusted may be made up.
    while (isIP(address) !== 0 && isTrusted(address)) {
      const next = plain(forwarded.pop()?.trim() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return network(address);
  };
}

/** An IPv4 address as such, where a socket for both kinds has it in the form of the other. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Of IPv6 the first half: whoever has one such address has all of its network. */
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
