/** The addresses of clients, also behind trusted proxies, and lists of addresses and networks. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6, type Socket, SocketAddress } from 'node:net';

/** An address as limits count it: one client usually has a whole network of IPv6. */
export interface ClientAddress {
  /** An IPv4 address, or the /64 network of an IPv6 address. Empty if the client has already gone. */
  readonly network: string;
  /** The /48 network of an IPv6 address, which has 65,536 networks. Undefined for IPv4. */
  readonly site: string | undefined;
}

/** Returns a check whether an address, as readAddress returns it, is one of these addresses and networks. */
export function addressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const one of entries) {
    const [address = '', bits] = one.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Reads an address in any spelling, with or without a port. Returns the usual spelling: IPv4 also for an address that
 * an IPv6 socket shows as ::ffff:1.2.3.4. Undefined if the text is no address.
 */
export function readAddress(text: string): string | undefined {
  const [withoutZone = ''] = text.split('%');
  const address = SocketAddress.parse(isIPv6(withoutZone) ? `[${withoutZone}]` : text)?.address;
  return address?.replace(/^::ffff:(?=\d+\.)/, '');
}

export function clientAddress(address: string): ClientAddress {
  if (!isIPv6(address)) return { network: address, site: undefined };
  const [head = '', tail = ''] = address.split('::');
  const [left, right] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right];
  return { network: groups.slice(0, 4).join(':'), site: groups.slice(0, 3).join(':') };
}

/** The key of an address in limits by site: all networks of one /48 of IPv6 share it. */
export const siteOf = ({ network, site }: ClientAddress): string => site ?? network;

/** Where the requests of a connection come from. */
export class Origin {
  /** The address of the connection's other end. Empty if it has already gone. */
  readonly peer: string;
  readonly isProxy: boolean;
  readonly #isTrusted: (address: string) => boolean;
  readonly #own: ClientAddress;

  /** `isTrusted`: whether an address is a proxy whose X-Forwarded-For is used. */
  constructor({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>, isTrusted: (address: string) => boolean) {
    this.peer = readAddress(remoteAddress) ?? '';
    this.isProxy = this.peer !== '' && isTrusted(this.peer);
    this.#isTrusted = isTrusted;
    this.#own = clientAddress(this.peer);
  }

  /** The address of a request's client, which may be behind trusted proxies. */
  clientOf({ headers }: Pick<IncomingMessage, 'headers'>): ClientAddress {
    const field = headers['x-forwarded-for'];
    if (!this.isProxy || field === undefined) return this.#own;
    const forwarded = String(field).split(',');
    let address = this.peer;
    // Each proxy appends the address of its client. Entries before the first untrusted address may be forged.
    while (this.#isTrusted(address)) {
      const next = readAddress(forwarded.pop()?.trim() ?? '');
      if (next === undefined) break;
      address = next;
    }
    return clientAddress(address);
  }
}
