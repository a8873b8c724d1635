/** Delivers the webhooks that this process holds, with a worker for each. */
import { FairShare } from '../../../util/fair-share.ts';
import { createHolder } from './holder.ts';
import { CHANGES, type WebhookRecord } from './records.ts';
import { startWorker, type Worker, type WorkerParts } from './worker.ts';

export interface Deliverer {
  /** Must be called after each change of a webhook. Then it applies in this process, and in others within a second. */
  changed(): Promise<void>;
  close(): Promise<void>;
}

/** The largest part of the time that looks take. Each change leads to a look, which reads all webhooks. */
const LOOKING = 1 / 8;

export function startDeliverer(parts: WorkerParts): Deliverer {
  const { records, times, log } = parts;
  const holder = createHolder(records, times);
  const workers = new Map<string, Worker>();
  const looks = new FairShare({ share: LOOKING });
  let isClosing = false;
  let isFailing = false;
  /** Whether the next look reads the webhooks although nobody has said that they changed. */
  let isUnsure = false;

  const apply = (held: readonly WebhookRecord[]) => {
    const byId = new Map(held.map((webhook) => [webhook.id, webhook]));
    for (const [id, worker] of workers) {
      if (byId.get(id)?.revision === worker.revision) byId.delete(id);
      else worker.stop();
    }
    for (const [id, webhook] of byId) {
      const worker = startWorker(webhook, workers.get(id)?.ended, parts);
      workers.set(id, worker);
      void worker.ended.then(() => {
        if (workers.get(id) !== worker) return;
        workers.delete(id);
        isUnsure = true;
      });
    }
  };
  const look = async () => {
    const wasUnsure = isUnsure;
    isUnsure = false;
    try {
      const held = await holder.look(wasUnsure);
      if (held !== undefined && !isClosing) apply(held);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'could not read the webhooks; the service tries again');
      isFailing = true;
      isUnsure = true;
    }
  };
  /** The look that has not begun yet. It also finds the changes of all who ask for a look until it begins. */
  let next: Promise<void> | undefined;
  const lookNext = () => {
    next ??= looks.run('', () => {
      next = undefined;
      return look();
    });
    return next;
  };
  const again = () => isClosing || timer.refresh();
  const timer = setTimeout(() => void lookNext().then(again), times.look).unref();

  return {
    async changed() {
      await records.raise(CHANGES);
      await lookNext();
    },
    async close() {
      isClosing = true;
      clearTimeout(timer);
      for (const worker of workers.values()) worker.stop();
      // A look that is under way ends before the next one.
      await Promise.all([lookNext(), ...[...workers.values()].map(({ ended }) => ended)]);
      // Another process can continue immediately. If the store cannot serve, another process takes them later.
      await holder.release().catch(() => {});
    },
  };
}
