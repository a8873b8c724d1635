/** Limits the number of sandboxes. */
import { Problem } from '../../errors.ts';
import { ClientGone, type Exchange } from '../../http/exchange.ts';
import { FairShare } from '../../util/fair-share.ts';
import { SITE_FACTOR } from './address.ts';
import type { SandboxContext } from './sandbox.ts';
import type { Sandbox } from './sandbox-records.ts';

/**
 * Keeps the record of a new sandbox, or resolves to a Problem (42901) if there is no room for it. Rejects with
 * ClientGone if the client has left before its turn: its sandbox would count, and nobody would know the token.
 */
type AddRecord = (record: Sandbox, client: Pick<Exchange, 'outgoing'>) => Promise<Problem<42901> | undefined>;

/** The sweeper removes a deleted sandbox within this many periods, including its pauses between stores. */
const SWEEPS = 2;

export function createCaps({ records, limits, times, now, counts }: SandboxContext): AddRecord {
  /** The Problem of a cap that `more` sandboxes would exceed. `begin`: how the addresses begin that the cap counts. */
  const check = async (who: string, most: number, begin: string, more: number) => {
    if ((await records.count(begin)) + more <= most) return undefined;
    counts.refused++;
    // A sandbox counts until the sweeper has deleted its store and its record.
    const swept = times.grace + SWEEPS * times.sweep;
    const secondsUntil = (time: number) => String(Math.max(1, Math.ceil((time + swept - now()) / 1_000)));
    const free = secondsUntil(Math.min((await records.firstExpiry(begin)) ?? 0, now() + limits.sandboxTtl));
    const already = `${who} already has ${most} ${most === 1 ? 'sandbox' : 'sandboxes'}, the maximum.`;
    const advice = `Delete one of yours (DELETE /sandbox) and wait ${secondsUntil(now())} s, or wait ${free} s`;
    return new Problem(42901, `${already} ${advice} until one has expired.`, { 'Retry-After': free });
  };
  const { sandboxes, sandboxesPerAddress } = limits;
  const problemOf = async (address: string, more: number) => {
    const site = address.slice(0, address.indexOf('/') + 1);
    const ofSite = () => check('The /48 network of your address', SITE_FACTOR * sandboxesPerAddress, site, more);
    return (
      (await check('Your address', sandboxesPerAddress, address, more)) ??
      (site === '' ? undefined : await ofSite()) ??
      (await check('The service', sandboxes, '', more))
    );
  };

  const add = async (record: Sandbox) => {
    const problem = await problemOf(record.address, 1);
    if (problem !== undefined) return problem;
    await records.add(record);
    // Other replicas may have added sandboxes at the same time. Each replica then removes its own sandbox.
    const exceeded = await problemOf(record.address, 0);
    if (exceeded !== undefined) await records.remove([record.id]);
    return exceeded;
  };

  // Additions run one after another, so that each counts the previous one.
  const additions = new FairShare({ share: 1 });
  return (record, { outgoing }) =>
    additions.run(record.address, async () => {
      if (outgoing.destroyed) throw new ClientGone();
      return add(record);
    });
}
