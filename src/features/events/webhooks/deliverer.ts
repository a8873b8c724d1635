/** Delivers the webhooks that this process holds, with a worker for each. */

import type { Message } from '../../../feature.ts';
import type { Logger } from '../../../observe/log.ts';
import { FairShare } from '../../../util/fair-share.ts';
import type { Attempts } from './attempts.ts';
import { createHolder } from './holder.ts';
import { CHANGES, type NumberedAttempt, type WebhookRecord, type WebhookRecords } from './records.ts';
import { startWorker, type Worker, type WorkerParts } from './worker.ts';

export interface Deliverer {
  /** Must be called after each change of a webhook. Then it applies in this process, and in others within a second. */
  changed(): Promise<void>;
  /** Sends a message once, outside of the order. `signal` ends the attempt. Undefined: the webhook was deleted. */
  test(webhook: WebhookRecord, message: Message, signal: AbortSignal): Promise<NumberedAttempt | undefined>;
  close(): Promise<void>;
}

/** Milliseconds. */
export interface DelivererTimes {
  /** How often a process looks for changes. */
  readonly look: number;
  readonly beat: number;
  readonly silence: number;
}

/** The largest part of the time that looks take. Each change leads to a look, which reads all webhooks. */
const LOOKING = 1 / 8;

interface DelivererParts extends Omit<WorkerParts, 'times'> {
  readonly records: WebhookRecords;
  readonly attempts: Attempts;
  readonly times: DelivererTimes & WorkerParts['times'];
  readonly log: Logger;
}

export function startDeliverer(parts: DelivererParts): Deliverer {
  const { records, attempts, times, log } = parts;
  const holder = createHolder(records, times);
  const closing = new AbortController();
  const workers = new Map<string, Worker>();
  const looks = new FairShare({ share: LOOKING });
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
      const worker = startWorker(webhook, holder.id, workers.get(id)?.ended, closing.signal, parts);
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
      if (held !== undefined && !closing.signal.aborted) apply(held);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'could not read the webhooks; the service tries again');
      isFailing = true;
      isUnsure = true;
    }
  };
  let looking = Promise.resolve();
  let isLookWaiting = false;
  const lookNext = () => {
    if (isLookWaiting) return looking;
    isLookWaiting = true;
    looking = looking.then(() =>
      looks.run('', () => {
        isLookWaiting = false;
        return look();
      }),
    );
    return looking;
  };
  const again = () => closing.signal.aborted || timer.refresh();
  const timer = setTimeout(() => void lookNext().then(again), times.look).unref();

  return {
    async changed() {
      await records.raise(CHANGES);
      await lookNext();
    },
    async test(webhook, message, signal) {
      const { last, all } = await attempts.make(webhook, message, undefined, signal);
      const number = await records.addAttempts(webhook, all);
      return number === undefined ? undefined : { ...last, number };
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      await looking;
      await Promise.all([...workers.values()].map(({ ended }) => ended));
      // Another process can continue immediately. If the store cannot serve, another process takes them later.
      await holder.release().catch(() => {});
    },
  };
}
