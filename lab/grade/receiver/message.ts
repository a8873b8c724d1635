/** Messages that the lab signs and sends itself, since no service should send them. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** What goes over the wire. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A message before it is signed. */
export interface Draft {
  /** The secret of the webhook. */
  readonly secret: string;
  readonly id: string;
  /** The time of the attempt, in seconds since 1970. */
  readonly time: number;
  readonly body: string;
}

/** How long a receiver may take to answer, as in the service. */
const TIMEOUT_MS = 15_000;

/** A new event of a plant. It looks like those of the service. */
export function createDraft(secret: string, sequence = 1, type = 'plant.created'): Draft {
  const id = randomBytes(30).toString('base64url');
  const data = { id: 12, name: 'Aloe vera', tag: 'succulent' };
  const body = JSON.stringify({ id, sequence, type, timestamp: new Date().toISOString(), data });
  return { secret, id, time: Math.floor(Date.now() / 1_000), body };
}

/** The message as a careful sender sends it. */
export const signed = ({ secret, id, time, body }: Draft): Message => ({
  headers: {
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': new Webhook(secret).sign(id, new Date(time * 1_000), body),
  },
  body,
});

/** Resolves to the status of the response. Undefined: there was no response. */
export function post(url: string, { headers, body }: Message): Promise<number | undefined> {
  return new Promise((resolve) => {
    const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // A connection of its own, so that no earlier message has closed it.
    const sending = request(url, { method: 'POST', headers: { ...length, ...headers }, agent: false, signal });
    sending.on('response', (response) => {
      resolve(response.statusCode);
      response.resume();
    });
    // A receiver may answer a large body before it has read it, so an error may follow the response.
    sending.on('error', () => resolve(undefined));
    sending.end(body);
  });
}
