/** Delivers the webhooks that this process holds, with a worker for each. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairShare } from '../../../util/fair-share.ts';
import { repeat } from '../../../util/repeat.ts';
import type { Attempts } from './attempts.ts';
import type { WebhookContext } from './context.ts';
import { createHolder } from './holder.ts';
import { CHANGES, type WebhookKey, type WebhookRecord } from './records.ts';
import { startWorker, type Worker } from './worker.ts';

export interface Deliverer {
  /** Must be called after each change of a webhook. Then it applies in this process, and in others within a second. */
  changed(webhook: WebhookKey): Promise<void>;
  close(): Promise<void>;
}

export function startDeliverer(context: WebhookContext, attempts: Attempts): Deliverer {
  const { records, times, log } = context;
  const holder = createHolder(records, times);
  /** Contains a worker that has ended until a look finds a change. So a look that read before starts no other. */
  const workers = new Map<string, Worker>();
  /** One look at a time, so what a look has read applies before the next one reads. */
  const looks = new FairShare({ share: 1 });
  /** The looks that have not begun, by webhook. Each also finds later changes, so that clients cannot pile up looks. */
  const waiting = new Map<string, Promise<void>>();
  let isClosing = false;
  /** Whether the next look reads the webhooks although no change was announced. */
  let isUnsure = false;
  /** Whether the next look announces a change, since the store could not serve when the change had been stored. */
  let isUnannounced = false;

  /** Makes every process look at the webhooks. Resolves to the number of the change. */
  const announce = () =>
    records.raise(CHANGES).catch((error) => {
      isUnannounced = true;
      throw error;
    });
  /** `webhook`: undefined if this process does not deliver for it. Returns whether a worker has started. */
  const apply = (id: string, webhook: WebhookRecord | undefined): boolean => {
    const before = workers.get(id);
    if (isClosing || webhook?.revision === before?.revision) return false;
    before?.stop();
    if (webhook === undefined) {
      // Not before it has ended, since the webhook's next worker waits for it.
      void before?.ended.then(() => workers.get(id) === before && workers.delete(id));
      return false;
    }
    const worker = startWorker(webhook, before?.ended, context, attempts);
    workers.set(id, worker);
    void worker.ended.then((isLost) => {
      isUnsure ||= isLost && workers.get(id) === worker;
    });
    return true;
  };
  const lookAtAll = async () => {
    if (isUnannounced) {
      isUnannounced = false;
      await announce();
    }
    const wasUnsure = isUnsure;
    isUnsure = false;
    const held = await holder.look(wasUnsure);
    if (held === undefined) return;
    const byId = new Map(held.map((webhook) => [webhook.id, webhook]));
    for (const id of new Set([...workers.keys(), ...byId.keys()])) {
      // A process may take many webhooks together. Other requests come between their starts.
      if (apply(id, byId.get(id))) await nextTurn();
    }
  };
  /** The keys take turns. After a failure the next look reads all webhooks. */
  const inTurn = (key: string, look: () => Promise<void>) =>
    looks.run(key, look).catch((error) => {
      isUnsure = true;
      throw error;
    });
  const looking = repeat(
    times.look,
    () => inTurn('', lookAtAll),
    (error) => log.warn({ err: error }, 'could not read the webhooks; the service tries again'),
  );

  return {
    async changed(webhook) {
      const { store, id } = webhook;
      holder.announced(await announce());
      const look = async () => {
        waiting.delete(id);
        if (holder.isHolding()) apply(id, await holder.lookAt(webhook));
        else await lookAtAll();
      };
      // If it fails, the next look of the repetition reports why.
      const next = waiting.get(id) ?? inTurn(store, look).catch(() => {});
      waiting.set(id, next);
      await next;
    },
    async close() {
      isClosing = true;
      looking.close();
      for (const worker of workers.values()) worker.stop();
      // After the look that is under way.
      await inTurn('', async () => {});
      await Promise.all([...workers.values()].map(({ ended }) => ended));
      // Another process can continue immediately. If the store cannot serve, another process takes them later.
      await holder.release().catch(() => {});
    },
  };
}
