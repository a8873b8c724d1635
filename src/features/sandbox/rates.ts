/** Limits how often an address may create sandboxes and control them. Each process counts on its own. */
import { createRateLimiter, type RateLimiter } from '../../auth/rate-limit.ts';
import { retryLater } from '../../errors.ts';
import type { ClientAddress } from '../../http/connections/client-address.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Logger } from '../../observe/log.ts';
import { createProxyWarning, SITE_FACTOR } from './address.ts';
import type { SandboxConfig } from './options.ts';

/** Counts a request to an operation of sandbox.yaml. Throws a Problem (42902) if its address has sent too many. */
export function limitAddresses(
  { sandboxCreateRate, sandboxControlRate }: Pick<SandboxConfig, 'sandboxCreateRate' | 'sandboxControlRate'>,
  log: Logger,
): (exchange: Exchange) => void {
  const limitCreates = limitBy(sandboxCreateRate, (quota) => `create ${quota} sandboxes`);
  const limitControls = limitBy(sandboxControlRate, (quota) => `send ${quota} requests to /sandbox`);
  const warnOfProxy = createProxyWarning(log);
  return (exchange) => {
    warnOfProxy(exchange);
    const limit = exchange.operation?.id === 'createSandbox' ? limitCreates : limitControls;
    limit(exchange.address);
  };
}

/** `textOf` returns the middle of a message, such as `create 60 sandboxes`. */
function limitBy(
  rate: RateLimiter['limit'] | 'off',
  textOf: (quota: number) => string,
): (address: ClientAddress) => void {
  if (rate === 'off') return () => undefined;
  const networks = createRateLimiter(rate);
  const sites = createRateLimiter({ ...rate, quota: rate.quota * SITE_FACTOR });
  const refuse = (who: string, { limit }: RateLimiter, seconds: number) =>
    retryLater(42902, `${who} may ${textOf(limit.quota)} in ${limit.window} s`, seconds);
  return ({ network, site }) => {
    // Counts the site first, so that a client with many networks in one site cannot fill the memory with counts.
    if (site !== undefined) {
      const { isOver, seconds } = sites.take(site);
      if (isOver) throw refuse('The /48 network of your address', sites, seconds);
    }
    const { isOver, seconds } = networks.take(network);
    if (!isOver) return;
    // A refused request must not use up the limit of the site's other networks, which may belong to other clients.
    if (site !== undefined) sites.giveBack(site);
    throw refuse('Your address', networks, seconds);
  };
}
