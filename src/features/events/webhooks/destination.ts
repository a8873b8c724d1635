/** Decides where webhooks may be sent. No user may reach the operator's own network (server-side request forgery). */
import type { LookupAddress } from 'node:dns';
import dns from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressList, readAddress } from '../../../http/connections/client-address.ts';

/** A URL that was checked. */
export interface Destination {
  readonly url: URL;
  /**
   * Looks up the name of the URL for a connection. Fails with a DestinationError unless every address is permitted. The
   * connection uses the checked addresses, because a second look-up could have another result (DNS rebinding). Node
   * looks up only names. If the host is an address, it was checked before.
   */
  readonly lookup: LookupFunction;
}

/**
 * Returns the destination, or why it is refused, for example `its host 127.0.0.1 is not a public address`. A host that
 * is a name is decided later, by `lookup`. `isPublicPermitted`: whether public addresses are permitted, by `https:` on
 * port 443 or 8443.
 */
export type CheckDestination = (url: string, isPublicPermitted: boolean) => Destination | string;

/** A name has no address, or an address that is not permitted. The message is for the owner of the webhook. */
export class DestinationError extends Error {
  override readonly name = 'DestinationError';
}

const MAX_URL = 2_048;
/** A name may have thousands of addresses. Only the first ones are checked and used. */
const MAX_ADDRESSES = 16;
/** The port of a URL is empty if it is the default port of the scheme. */
const PUBLIC_PORTS: ReadonlySet<string> = new Set(['', '8443']);
/** RFC 6761, section 6.3. */
const LOCALHOST = /^(.+\.)?localhost\.?$/;
/** RFC 6762, and the name that ICANN has reserved for private use. */
const PRIVATE_NAME = /^(.+\.)?(local|internal)\.?$/;
/** The only part of IPv6 with global unicast addresses. ipaddr.js calls addresses outside of it unicast too. */
const IPV6_UNICAST = ipaddr.parseCIDR('2000::/3');
/** A public address at which Azure serves metadata to its machines. */
const AZURE = '168.63.129.16';

/**
 * `allow`: addresses and networks, as in `--webhook-allow`. They also permit `http:` and every port. `resolve`: returns
 * the addresses of a name. Rejects with the error codes of node:dns.
 */
export function createDestinations(allow: readonly string[], resolve = ask): CheckDestination {
  const isAllowed = addressList(allow);

  return (text, isPublicPermitted) => {
    if (!isPublicPermitted && allow.length === 0) return 'a demo or a sandbox of this service delivers only to inboxes';
    const url = URL.parse(text);
    if (url === null) return 'it is not an absolute URL';
    // The length as it is sent, so that an accepted URL is never refused later.
    if (url.href.length > MAX_URL) return `it has more than ${MAX_URL} characters when it is percent-encoded`;
    const { protocol, hostname } = url;
    const needsHttps = allow.length === 0;
    if (protocol === 'http:' && needsHttps) return 'its scheme must be https, since the service has no --webhook-allow';
    if (protocol !== 'https:' && protocol !== 'http:') return `its scheme must be ${needsHttps ? '' : 'http or '}https`;
    if (url.username !== '' || url.password !== '') return 'it must not contain a user or a password';
    if (url.href.includes('#')) return 'it must not have a fragment';
    const canBePublic = isPublicPermitted && protocol === 'https:' && PUBLIC_PORTS.has(url.port);
    if (needsHttps && !canBePublic) return 'its port must be 443 or 8443';

    const isPermitted = (address: string | undefined) =>
      address !== undefined && (isAllowed(address) || (canBePublic && isPublic(address)));
    /** What an address must be. */
    const permitted = [
      ...(canBePublic ? ['a public address'] : []),
      ...(needsHttps ? [] : ['in a network of --webhook-allow']),
    ].join(' or ');
    const address = readAddress(hostname);
    if (address !== undefined && !isPermitted(address)) return `its host ${address} is not ${permitted}`;
    const isPrivate = LOCALHOST.test(hostname) || PRIVATE_NAME.test(hostname);
    if (isPrivate && needsHttps) return `its host ${hostname} is not public`;

    const find = async (name: string): Promise<LookupAddress[]> => {
      const all = LOCALHOST.test(name) ? ['127.0.0.1', '::1'].filter(isAllowed) : await addressesOf(name, resolve);
      const addresses = all.slice(0, MAX_ADDRESSES);
      if (addresses.length === 0 || !addresses.every((address) => isPermitted(readAddress(address)))) {
        // One text for both cases, so that it reveals no name of the operator's network.
        throw new DestinationError(`the name ${name} was not found, or has an address that is not ${permitted}`);
      }
      return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    };
    const lookup: LookupFunction = (name, { all }, callback) => {
      find(name).then(
        (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
        (error: DestinationError) => callback(error, []),
      );
    };
    return { url, lookup };
  };
}

/**
 * Whether an address, as readAddress returns it, is a global unicast address. Compare with IANA's registries of
 * special-purpose addresses, which ipaddr.js follows: https://www.iana.org/assignments/iana-ipv6-special-registry.
 */
function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || address === AZURE) return false;
  return parsed.kind() === 'ipv4' || parsed.match(IPV6_UNICAST);
}

async function addressesOf(name: string, resolve: typeof ask): Promise<readonly string[]> {
  try {
    return await resolve(name);
  } catch (error) {
    const code = Error.isError(error) && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    throw new DestinationError(`the name ${name} could not be looked up (${code})`);
  }
}

/**
 * Asks the name servers, without /etc/hosts. dns.lookup would wait in one of the few threads that the whole process
 * shares for look-ups. So the slow name servers of one user could stop all others.
 */
async function ask(name: string): Promise<readonly string[]> {
  const [v4, v6] = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [v4, v6].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
}
