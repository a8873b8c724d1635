/** Limits the number of sandboxes. */
import { Problem } from '../../errors.ts';
import { FairShare } from '../../util/fair-share.ts';
import { SITE_FACTOR } from './address.ts';
import { createIsWithin, type SandboxContext } from './sandbox.ts';
import type { Sandbox } from './sandbox-records.ts';

/** Keeps the record of a new sandbox, or resolves to a Problem (42901) if there is no room for it. */
type AddRecord = (record: Sandbox) => Promise<Problem<42901> | undefined>;

/** Below this part of the cap, a count of all sandboxes is used again for this time, in milliseconds. */
const TRUSTED_SHARE = 0.8;
const TRUSTED_MS = 1_000;
/**
 * The count is not used again once this process has added this part of the cap: other replicas may have added as many.
 */
const TRUSTED_MORE = 0.05;

/** The sweeper removes a deleted sandbox within this many periods, including its pauses between stores. */
const SWEEPS = 2;

export function createCaps({ records, limits, times, now, counts }: SandboxContext): AddRecord {
  const { sandboxes: most, sandboxesPerAddress: mostPerAddress } = limits;
  const isWithin = createIsWithin(now);
  const counted = { sandboxes: 0, added: 0, at: Number.NEGATIVE_INFINITY };

  /** The number of all sandboxes: exact near the cap, since counting thousands of rows takes time. */
  const countAll = async (): Promise<number> => {
    const { sandboxes, added, at } = counted;
    const isFresh = isWithin(TRUSTED_MS, at) && added < most * TRUSTED_MORE;
    if (isFresh && sandboxes + added < most * TRUSTED_SHARE) return sandboxes + added;
    const isCounting = { sandboxes: await records.count(), added: 0, at: now() };
    return Object.assign(counted, isCounting).sandboxes;
  };
  /** `address`: the address or site whose cap is reached. Undefined: the cap of the service. */
  const tooMany = async (who: string, cap: number, address?: string): Promise<Problem<42901>> => {
    counts.refused++;
    // A sandbox counts until the sweeper has deleted its store and its record.
    const swept = times.grace + SWEEPS * times.sweep;
    const secondsUntil = (time: number) => String(Math.max(1, Math.ceil((time + swept - now()) / 1_000)));
    const free = secondsUntil(Math.min((await records.firstExpiry(address)) ?? 0, now() + limits.sandboxTtl));
    const already = `${who} already has ${cap} ${cap === 1 ? 'sandbox' : 'sandboxes'}, the maximum.`;
    const advice = `Delete one of yours (DELETE /sandbox) and wait ${secondsUntil(now())} s, or wait ${free} s`;
    return new Problem(42901, `${already} ${advice} until one has expired.`, { 'Retry-After': free });
  };
  /** The Problem of the cap that `more` sandboxes would exceed. */
  const problemOf = async (address: string, more: number): Promise<Problem<42901> | undefined> => {
    const site = address.slice(0, address.indexOf('/') + 1);
    const mostPerSite = SITE_FACTOR * mostPerAddress;
    if ((await records.countOf(address)) + more > mostPerAddress)
      return tooMany('Your address', mostPerAddress, address);
    if (site !== '' && (await records.countOf(site)) + more > mostPerSite)
      return tooMany('The /48 network of your address', mostPerSite, site);
    return (await countAll()) + more > most ? tooMany('The service', most) : undefined;
  };

  const add = async (record: Sandbox) => {
    const problem = await problemOf(record.address, 1);
    if (problem !== undefined) return problem;
    await records.add(record);
    counted.added++;
    // Other replicas may have added sandboxes at the same time. Each replica then removes its own sandbox.
    const exceeded = await problemOf(record.address, 0);
    if (exceeded !== undefined) await records.remove([record.id]);
    return exceeded;
  };

  // Additions run one after another, so that each counts the previous one.
  const additions = new FairShare({ share: 1 });
  return (record) => additions.run(record.address, () => add(record));
}
