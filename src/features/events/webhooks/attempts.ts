/** Makes attempts: signs a message and sends it to a receiver, or puts it into an inbox. */
import type { Deliver, Message, Outcome } from '../../../feature.ts';
import { hasQuota } from '../../../plants/plant.ts';
import { FairShare } from '../../../util/fair-share.ts';
import type { StoredAttempt, WebhookRecord } from './records.ts';
import type { Sender } from './send.ts';
import { secretOf, sign, whyRefused } from './signature.ts';

export interface Attempts {
  readonly counts: { arrived: number; failed: number };
  /** Never rejects. `next`: the message that follows, for faults. `signal`: ends the attempt. */
  make(
    webhook: WebhookRecord,
    message: Message,
    next: Message | undefined,
    signal: AbortSignal,
  ): Promise<StoredAttempt & Pick<Outcome, 'retryAfter'>>;
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
  const turns = {
    visitors: new FairShare({ share: 1, together: half }),
    operators: new FairShare({ share: 1, together: concurrency - half }),
  };
  const counts = { arrived: 0, failed: 0 };
  return {
    counts,
    async make(webhook, message, next, signal) {
      const { store, url } = webhook;
      const [at, began] = [now(), performance.now()];
      const secrets = secretsOf(webhook);
      let arrived: StoredAttempt['arrived'];
      const send = async (headers: Readonly<Record<string, string>>, body: string): Promise<Outcome> => {
        if (url === undefined) {
          const reason = whyRefused(secrets, headers, body, Math.floor(now() / 1_000), { signedBody: message.body });
          arrived = { headers, body: body.slice(0, INBOX_BODY), ...(reason !== undefined && { reason }) };
          return { status: TAKEN };
        }
        const who = hasQuota(store) ? 'visitors' : 'operators';
        return turns[who].run(store, () => senders[who].send(new URL(url), headers, body, signal));
      };
      const outcome = await deliver({
        store,
        message,
        next,
        seconds: Math.floor(at / 1_000),
        sign: ({ id, body }, seconds) => ({ ...sign(secrets, id, seconds, body) }),
        send,
      });
      if (hasArrived(outcome)) counts.arrived++;
      else counts.failed++;
      const milliseconds = Math.round(performance.now() - began);
      return {
        ...{ at, message: message.id, type: message.type, milliseconds },
        ...outcome,
        ...(arrived !== undefined && { arrived }),
      };
    },
  };
}
