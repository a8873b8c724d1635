/** Applies faults to the deliveries of the webhooks of sandboxes, and bounds what slow deliveries hold. */
import { Problem } from '../../../errors.ts';
import type { Deliver, Delivery } from '../../../feature.ts';
import { hasQuota } from '../../../plants/plant.ts';
import { FairShare } from '../../../util/fair-share.ts';
import { payerOf } from '../address.ts';
import type { Budgets } from '../budgets.ts';
import type { Sandboxes } from '../sandboxes.ts';
import { KINDS } from './fault-kinds.generated.ts';
import type { Rules } from './rules.ts';

/** The largest part of the time that signing large messages takes. */
const LONG = 1 / 20;
/** How long a message may wait for its receiver before it rests, in milliseconds. */
const PATIENCE = 1_000;

export function deliverFaults(sandboxes: Sandboxes, rules: Rules, budgets: Budgets): (own: Deliver) => Deliver {
  const { memory, resting } = budgets;
  const long = new FairShare({ share: LONG });
  return (own) => async (delivery) => {
    // The webhook of another store may belong to a credential that is no sandbox.
    if (!hasQuota(delivery.store)) return own(delivery);
    try {
      const sandbox = await sandboxes.find(delivery.credential);
      const fault = rules.chooseForDelivery(sandbox, delivery);
      const deliver = fault && KINDS[fault.kind].deliver;
      const rest: Delivery['rest'] = (wait) => resting.during(sandbox, 1, () => delivery.rest(wait));
      const patient = restWhileSlow({ ...delivery, rest });
      if (fault === undefined || deliver === undefined) return await own(patient);
      return await deliver(fault, patient, {
        async own(waited) {
          // The sandbox may have ended during a delay.
          await sandboxes.find(delivery.credential);
          return own(waited);
        },
        inTurn: (work) => long.run(payerOf(sandbox), async () => work()),
        reserve: (bytes, run) => memory.during(sandbox, bytes, run),
      });
    } catch (error) {
      // The sandbox has ended, or used up a budget. The webhook tries again later.
      if (error instanceof Problem) return { failure: error.message };
      throw error;
    }
  };
}

/**
 * Lets a message rest while its receiver is slow. Otherwise the silent receivers of a few sandboxes could hold all
 * turns. Ends a message that has no room to rest.
 */
function restWhileSlow(delivery: Delivery): Delivery {
  return {
    ...delivery,
    async send(message, headers, duration, ending = delivery.signal) {
      const own = new AbortController();
      const { promise: isSlow, resolve } = Promise.withResolvers<true>();
      const timer = setTimeout(resolve, PATIENCE, true);
      const sending = delivery
        .send(message, headers, duration, AbortSignal.any([ending, own.signal]))
        .finally(() => clearTimeout(timer));
      try {
        if ((await Promise.race([isSlow, sending])) === true) await delivery.rest(() => sending);
      } catch (error) {
        own.abort();
        throw error;
      }
      return sending;
    },
  };
}
