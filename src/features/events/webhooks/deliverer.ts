/** Delivers the webhooks that this process holds, with a worker for each. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairShare } from '../../../util/fair-share.ts';
import { repeat } from '../../../util/repeat.ts';
import { createHolder } from './holder.ts';
import { CHANGES, type WebhookKey, type WebhookRecord } from './records.ts';
import { startWorker, type Worker, type WorkerParts } from './worker.ts';

export interface Deliverer {
  /** Must be called after each change of a webhook. Then it applies in this process, and in others within a second. */
  changed(webhook: WebhookKey): Promise<void>;
  close(): Promise<void>;
}

export function startDeliverer(parts: WorkerParts): Deliverer {
  const { records, times, log } = parts;
  const holder = createHolder(records, times);
  const workers = new Map<string, Worker>();
  /** The webhooks whose workers have ended by themselves since the last look began. */
  const ended = new Set<string>();
  /** One look at a time, so what a look has read applies before the next one reads. */
  const looks = new FairShare({ share: 1 });
  /** The looks that have not begun, by webhook. Each also finds later changes, so that clients cannot pile up looks. */
  const waiting = new Map<string, Promise<void>>();
  let isClosing = false;
  /** Whether the next look reads the webhooks although no change was announced. */
  let isUnsure = false;

  /** `webhook`: undefined if this process does not deliver for it. Returns whether a worker has started. */
  const apply = (id: string, webhook: WebhookRecord | undefined): boolean => {
    const before = workers.get(id);
    if (isClosing || webhook?.revision === before?.revision) return false;
    before?.stop();
    if (webhook === undefined) return false;
    const worker = startWorker(webhook, before?.ended, parts);
    workers.set(id, worker);
    void worker.ended.then((isLost) => {
      if (workers.get(id) !== worker) return;
      workers.delete(id);
      ended.add(id);
      isUnsure ||= isLost;
    });
    return true;
  };
  const lookAtAll = async () => {
    const wasUnsure = isUnsure;
    isUnsure = false;
    ended.clear();
    const held = await holder.look(wasUnsure);
    if (held === undefined) return;
    const byId = new Map(held.map((webhook) => [webhook.id, webhook]));
    for (const id of new Set([...workers.keys(), ...byId.keys()])) {
      // It was read before its worker ended, and may be disabled now.
      if (ended.has(id)) isUnsure = true;
      // A process may take many webhooks together. Other requests come between their starts.
      else if (apply(id, byId.get(id))) await nextTurn();
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
      const change = await records.raise(CHANGES);
      const look = async () => {
        waiting.delete(id);
        if (holder.isHolding()) apply(id, await holder.lookAt(webhook, change));
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
