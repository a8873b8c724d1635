/** Makes attempts: signs a message and sends it to a receiver, or puts it into an inbox. */
import type { Deliver, Delivery, Message, Outcome } from '../../../feature.ts';
import { hasQuota, type StoreName } from '../../../plants/plant.ts';
import { FairSlots } from '../../../util/fair-slots.ts';
import type { StoredAttempt, WebhookRecord } from './records.ts';
import type { Sender } from './send.ts';
import { secretOf, sign, whyRefused } from './signature.ts';

export interface Attempts {
  readonly counts: { arrived: number; failed: number };
  /**
   * Makes an attempt to send a message. `next`: the message that follows, for faults. `signal`: ends the attempt,
   * or the wait for it. Rejects only if the store cannot serve.
   */
  make(webhook: WebhookRecord, message: Message, next: Message | undefined, signal: AbortSignal): Promise<Attempt>;
}

export interface Attempt {
  readonly outcome: Outcome;
  /** What was sent last. */
  readonly last: StoredAttempt;
  /** Everything that was sent: with a fault, this may be several messages. */
  readonly all: readonly StoredAttempt[];
}

/** The secrets of a webhook that sign now: the present one first, then perhaps the one before it. */
export type SecretsOf = (webhook: WebhookRecord) => readonly [string, ...string[]];

export interface AttemptParts {
  /** For the stores of operators, and for stores that anyone can create. */
  readonly senders: Readonly<Record<'operators' | 'visitors', Sender>>;
  readonly deliver: Deliver;
  readonly secretsOf: SecretsOf;
  /** How many attempts may be under way, at least 2. Visitors together may have half of them. */
  readonly concurrency: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The part of the attempts under way that one store may have. Otherwise the tests of one store, to a receiver that
 * never answers, could hold all of them. By default the webhooks of a store need less.
 */
const STORE_SHARE = 1 / 4;
/** An inbox takes every message. */
const TAKEN = 204;
/** The most characters of a body that an inbox keeps. */
const INBOX_BODY = 65_536;

/** `key`: of the database. All secrets are derived from it, so none is stored. */
export function createSecretsOf(key: Uint8Array, now: () => number): SecretsOf {
  return ({ id, generation, previousUntil }) => {
    const present = secretOf(key, id, generation);
    return now() < previousUntil ? [present, secretOf(key, id, generation - 1)] : [present];
  };
}

export const hasArrived = ({ status = 0 }: Pick<Outcome, 'status'>): boolean => status >= 200 && status < 300;

export function createAttempts({ senders, deliver, secretsOf, concurrency, now }: AttemptParts): Attempts {
  const half = Math.floor(concurrency / 2);
  const slots = (all: number) => new FairSlots({ all, each: Math.ceil(all * STORE_SHARE) });
  const turns = { visitors: slots(half), operators: slots(concurrency - half) };
  const counts = { arrived: 0, failed: 0 };
  const begin = () => {
    const [at, began] = [now(), performance.now()];
    const end = ({ id, type }: Message, { retryAfter: _, ...outcome }: Outcome): StoredAttempt => {
      const milliseconds = Math.round(performance.now() - began);
      return { at, message: id, type, milliseconds, ...outcome };
    };
    return { seconds: Math.floor(at / 1_000), end };
  };
  const attempt: Attempts['make'] = async (webhook, message, next, signal) => {
    const { store, url, credential } = webhook;
    const secrets = secretsOf(webhook);
    const begun = begin();
    const sent: StoredAttempt[] = [];
    const send: Delivery['send'] = async (one, headers, duration) => {
      const start = begin();
      if (url === undefined) {
        const reason = whyRefused(secrets, headers, one.body, start.seconds, { signedBody: message.body });
        const body = one.body.slice(0, INBOX_BODY);
        const outcome = { status: TAKEN };
        sent.push({
          ...start.end(one, outcome),
          arrived: { headers, body, ...(reason !== undefined && { reason }) },
        });
        return outcome;
      }
      const outcome = await senders[whoHas(store)].send(new URL(url), headers, one.body, signal, duration);
      sent.push(start.end(one, outcome));
      return outcome;
    };
    const outcome = await deliver({
      ...{ store, credential, message, next, send, signal },
      seconds: begun.seconds,
      sign: ({ id, body }, seconds) => ({ ...sign(secrets, id, seconds, body) }),
    });
    if (hasArrived(outcome)) counts.arrived++;
    else counts.failed++;
    const last = sent.pop() ?? begun.end(message, outcome);
    return { outcome, last, all: [...sent, last] };
  };
  return {
    counts,
    make(webhook, message, next, signal) {
      const { store, url } = webhook;
      const make = () => attempt(webhook, message, next, signal);
      // An attempt is signed in its turn, since receivers refuse an old signature.
      return url === undefined ? make() : turns[whoHas(store)].run(store, make, signal);
    },
  };
}

const whoHas = (store: StoreName) => (hasQuota(store) ? 'visitors' : 'operators');
