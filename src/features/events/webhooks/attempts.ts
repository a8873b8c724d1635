/** Makes attempts: signs a message and sends it to a receiver, or puts it into an inbox. */
import { Webhook as Signer } from 'standardwebhooks';
import type { Delivery, Message, Outcome } from '../../../feature.ts';
import { hasQuota, type StoreName } from '../../../plants/plant.ts';
import { FairSlots, type Rest } from '../../../util/fair-slots.ts';
import type { WebhookContext } from './context.ts';
import type { StoredAttempt, WebhookRecord } from './records.ts';
import { createSender } from './send.ts';
import { secretOf, sign, whyRefused } from './signature.ts';

export interface Attempts {
  readonly counts: { arrived: number; failed: number };
  /** Does work of a webhook in its turn. If the signal is aborted before, the work begins immediately, and must end. */
  inTurn<Result>(webhook: WebhookRecord, work: (rest: Rest) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** Prepares the attempts of a webhook, as long as it does not change. They must be made in its turn. */
  of(webhook: WebhookRecord): MakeAttempt;
  /** Closes the connections. Abort the attempts first. */
  close(): void;
}

/**
 * Makes an attempt to send a message. `next`: the message that follows, for faults. `rest`: of the turn. `signal`: ends
 * the attempt. Rejects as `Deliver` does.
 */
export type MakeAttempt = (
  message: Message,
  next: Message | undefined,
  rest: Rest,
  signal: AbortSignal,
) => Promise<Attempt>;

export interface Attempt {
  readonly outcome: Outcome;
  /** What was sent last. */
  readonly last: StoredAttempt;
  /** Everything that was sent: with a fault, this may be several messages. */
  readonly all: readonly StoredAttempt[];
}

type Result = Outcome & Pick<StoredAttempt, 'arrived'>;

/**
 * The part of the attempts under way that one store may have. Otherwise the tests of one store, to a receiver that
 * never answers, could hold all of them. By default the webhooks of a store need less.
 */
const STORE_SHARE = 1 / 4;
/** The most characters of a body that an inbox keeps. */
const INBOX_BODY = 65_536;

export const hasArrived = ({ status = 0 }: Pick<Outcome, 'status'>): boolean => status >= 200 && status < 300;

export function createAttempts({ options, times, check, deliver, key, now }: WebhookContext): Attempts {
  const counts = { arrived: 0, failed: 0 };
  const slots = (all: number) => new FairSlots({ all, each: Math.ceil(all * STORE_SHARE) });
  // Inboxes have their own slots, so they do not wait for slow receivers.
  const half = (all: number) => ({
    inboxes: slots(all),
    receivers: slots(all),
    sender: createSender({ timeout: times.attempt, now }),
  });
  // Visitors share nothing with operators, not even a connection to a receiver that visitors may not reach.
  const visitors = half(Math.floor(options.webhookConcurrency / 2));
  const operators = half(Math.ceil(options.webhookConcurrency / 2));
  const halfOf = (store: StoreName) => (hasQuota(store) ? visitors : operators);

  /** Begins an attempt, or the sending of one of its messages. */
  const begin = () => {
    const [at, began] = [now(), performance.now()];
    const end = ({ id, type }: Message, { retryAfter: _, ...outcome }: Result): StoredAttempt => {
      const milliseconds = Math.round(performance.now() - began);
      return { at, message: id, type, milliseconds, ...outcome };
    };
    return { seconds: Math.floor(at / 1_000), end };
  };
  const of = (webhook: WebhookRecord): MakeAttempt => {
    const { id, store, url, credential, generation, previousUntil } = webhook;
    const { sender } = halfOf(store);
    const signerOf = (number: number) => new Signer(secretOf(key, id, number));
    const present = [signerOf(generation)];
    const both = [...present, signerOf(generation - 1)];
    const destination = url === undefined ? undefined : check(url, !hasQuota(store));

    return async (message, next, rest, signal) => {
      const signers = now() < previousUntil ? both : present;
      const begun = begin();
      const sent: StoredAttempt[] = [];
      const send: Delivery['send'] = async (one, headers, duration, ending = signal) => {
        const { seconds, end } = begin();
        const transmit = async (): Promise<Result> => {
          if (destination === undefined)
            return arrive(one, headers, whyRefused(signers, headers, one.body, seconds, message.body));
          if (typeof destination === 'string') return { failure: `the URL is refused: ${destination}` };
          return sender.send(destination, headers, one.body, ending, duration);
        };
        const result = await transmit();
        sent.push(end(one, result));
        return result;
      };
      const outcome = await deliver({
        ...{ store, credential, message, next, send, rest, signal },
        seconds: begun.seconds,
        sign: (one, seconds) => sign(signers, one.id, seconds, one.body),
      });
      if (hasArrived(outcome)) counts.arrived++;
      else counts.failed++;
      const last = sent.pop() ?? begun.end(message, outcome);
      return { outcome, last, all: [...sent, last] };
    };
  };
  return {
    counts,
    // An attempt is signed in its turn, since receivers refuse an old signature.
    inTurn({ store, url }, work, signal) {
      const { inboxes, receivers } = halfOf(store);
      return (url === undefined ? inboxes : receivers).run(store, work, signal);
    },
    of,
    close() {
      visitors.sender.close();
      operators.sender.close();
    },
  };
}

/** An inbox takes every message. `reason`: why the message is wrong. */
function arrive({ body }: Message, headers: Readonly<Record<string, string>>, reason: string | undefined): Result {
  const arrived = {
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: body.slice(0, INBOX_BODY),
    ...(reason === undefined ? { verdict: 'right' as const } : { verdict: 'wrong' as const, reason }),
  };
  return { status: 204, arrived };
}
