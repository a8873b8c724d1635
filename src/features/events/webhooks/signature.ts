/** The secrets and signatures of webhooks, as Standard Webhooks 1.0 defines them, and why a signature is wrong. */
import { createHmac } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** The header fields of a signed message. */
export interface Signed {
  readonly 'webhook-id': string;
  /** Seconds since 1970. */
  readonly 'webhook-timestamp': string;
  /** One `v1,…` for each secret, joined by a space. */
  readonly 'webhook-signature': string;
}

/** What is known about a message that was sent wrong on purpose. Each member makes the reason more exact. */
export interface Known {
  /** The body that was signed. */
  readonly signedBody?: string;
  /** Secrets of the webhook that are no longer valid. */
  readonly formerSecrets?: readonly string[];
}

/** How many seconds the clocks of sender and receiver may differ: `tolerance` in the official libraries. */
const TOLERANCE = 300;

/** The secret of a webhook, which is derived again when it is needed. Each rotation adds 1 to `generation`. */
export function secretOf(key: Uint8Array, webhook: string, generation: number): string {
  const bytes = createHmac('sha256', key).update(`webhook\n${webhook}\n${generation}`).digest('base64');
  return `whsec_${bytes}`;
}

/** Signs a message with each secret: two while a secret is rotated. `seconds`: the time of the attempt, since 1970. */
export function sign(secrets: readonly string[], id: string, seconds: number, body: string): Signed {
  const time = new Date(seconds * 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, time, body)).join(' '),
  };
}

/**
 * Why a receiver must refuse a message. Undefined if the message is right for one of the secrets. `now`: when the
 * message arrived, in seconds since 1970. Names of header fields are in lower case.
 */
export function whyRefused(
  secrets: readonly string[],
  headers: Readonly<Record<string, string>>,
  body: string,
  now: number,
  { signedBody, formerSecrets = [] }: Known = {},
): string | undefined {
  const isRight = (valid: readonly string[], text: string) =>
    valid.some((secret) => verify(secret, headers, text, now));
  if (isRight(secrets, body)) return undefined;
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  if (!id) return 'webhook-id is missing';
  if (!timestamp) return 'webhook-timestamp is missing';
  if (!signature) return 'webhook-signature is missing';
  if (!/^\d+$/.test(timestamp)) return 'webhook-timestamp is not a number of seconds';
  const age = now - Number(timestamp);
  if (age > TOLERANCE) return `webhook-timestamp is ${age} s old, more than ${TOLERANCE} s`;
  if (age < -TOLERANCE) return `webhook-timestamp is ${-age} s in the future, more than ${TOLERANCE} s`;
  const signatures = signature.split(' ').filter((one) => one.startsWith('v1,'));
  if (signatures.length === 0) return 'webhook-signature has no signature of the version v1';
  if (!signatures.some((one) => /^v1,[A-Za-z\d+/]{43}=$/.test(one))) return 'no v1 signature is 32 bytes in base64';
  if (signedBody !== undefined && isRight(secrets, signedBody)) return 'the body was changed after it was signed';
  if (isRight(formerSecrets, body)) return 'it was signed with a secret that is no longer valid';
  return 'no signature matches: another secret was used, or the id, the timestamp or the body was changed';
}

/** Whether the library accepts a message that arrives at a given time. */
function verify(secret: string, headers: Readonly<Record<string, string>>, body: string, now: number): boolean {
  const webhook = new Webhook(secret);
  // The library's own method compares the timestamp with the clock of this process.
  const verifyTimestamp = (timestamp: string) => {
    const seconds = Number.parseInt(timestamp, 10);
    if (Math.abs(now - seconds) <= TOLERANCE) return new Date(seconds * 1_000);
    throw new WebhookVerificationError('the timestamp is wrong');
  };
  Object.assign(webhook, { verifyTimestamp });
  try {
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
