/** The secrets and signatures of webhooks, as Standard Webhooks 1.0 defines them, and why a signature is wrong. */
import { createHmac } from 'node:crypto';
import type { Webhook as Signer } from 'standardwebhooks';

/** Header fields by their names in lower case. */
type Fields = Readonly<Record<string, string>>;

/** How many seconds the clocks of sender and receiver may differ: `tolerance` in the official libraries. */
const TOLERANCE = 300;

/**
 * The secret of a webhook, which is derived again when it is needed, so none is stored. `key`: of the database. Each
 * rotation adds 1 to `generation`.
 */
export function secretOf(key: Uint8Array, webhook: string, generation: number): string {
  const bytes = createHmac('sha256', key).update(`webhook\n${webhook}\n${generation}`).digest('base64');
  return `whsec_${bytes}`;
}

/**
 * The header fields of a message. It is signed with each secret: two while a secret is rotated. `seconds`: the time of
 * the attempt, since 1970.
 */
export function sign(signers: readonly Signer[], id: string, seconds: number, body: string): Fields {
  const time = new Date(seconds * 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signers.map((signer) => signer.sign(id, time, body)).join(' '),
  };
}

/**
 * Why a receiver must refuse a message. Undefined if the message is right for one of the secrets. `now`: when the
 * message arrived, in seconds since 1970. `signedBody`: the body that was signed, if it is known. Then the reason is
 * more exact.
 */
export function whyRefused(
  signers: readonly Signer[],
  headers: Fields,
  body: string,
  now: number,
  signedBody?: string,
): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  if (!id) return 'webhook-id is missing';
  if (!timestamp) return 'webhook-timestamp is missing';
  if (!signature) return 'webhook-signature is missing';
  // As the library reads it, which ignores what follows the digits.
  const seconds = Number.parseInt(timestamp, 10);
  const age = now - seconds;
  const signatures = signature.split(' ').filter((one) => one.startsWith('v1,'));
  const isRight = (text: string) =>
    signers.some((signer) => {
      const right = signer.sign(id, new Date(seconds * 1_000), text);
      return signatures.some((one) => one === right || one.startsWith(`${right},`));
    });
  if (Math.abs(age) <= TOLERANCE && isRight(body)) return undefined;
  if (!/^\d+$/.test(timestamp)) return 'webhook-timestamp is not a number of seconds';
  if (age > TOLERANCE) return `webhook-timestamp is ${age} s old, more than ${TOLERANCE} s`;
  if (age < -TOLERANCE) return `webhook-timestamp is ${-age} s in the future, more than ${TOLERANCE} s`;
  if (signatures.length === 0) return 'webhook-signature has no signature of the version v1';
  if (!signatures.some((one) => /^v1,[A-Za-z\d+/]{43}=$/.test(one))) return 'no v1 signature is 32 bytes in base64';
  if (signedBody !== undefined && isRight(signedBody)) return 'the body was changed after it was signed';
  return 'no signature matches: another secret was used, or the id, the timestamp or the body was changed';
}
