/** Applies faults to the deliveries of the webhooks of sandboxes. */
import { Problem } from '../../../errors.ts';
import type { Deliver } from '../../../feature.ts';
import { hasQuota } from '../../../plants/plant.ts';
import { FairShare } from '../../../util/fair-share.ts';
import { payerOf } from '../address.ts';
import type { Budgets } from '../budgets.ts';
import type { Sandboxes } from '../sandboxes.ts';
import { KINDS } from './fault-kinds.generated.ts';
import type { Rules } from './rules.ts';

/** The largest part of the time that signing large messages takes. */
const LONG = 1 / 20;

export function deliverFaults(sandboxes: Sandboxes, rules: Rules, { memory }: Budgets): (own: Deliver) => Deliver {
  const long = new FairShare({ share: LONG });
  return (own) => async (delivery) => {
    // The webhook of another store may belong to a credential that is no sandbox.
    if (!hasQuota(delivery.store)) return own(delivery);
    const sandbox = await sandboxes.find(delivery.credential);
    const fault = rules.chooseForDelivery(sandbox, delivery);
    const deliver = fault && KINDS[fault.kind].deliver;
    if (fault === undefined || deliver === undefined) return own(delivery);
    try {
      return await deliver(fault, delivery, {
        own,
        inTurn: (work) => long.run(payerOf(sandbox), async () => work()),
        reserve: (bytes, run) => memory.during(sandbox, bytes, run),
      });
    } catch (error) {
      // The sandbox has used up a budget. The webhook tries again later.
      if (error instanceof Problem) return { failure: error.message };
      throw error;
    }
  };
}
