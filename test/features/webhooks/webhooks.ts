/** Starts a service with webhooks whose times are short, and calls its operations. */
import assert from 'node:assert/strict';
import { WEBHOOK_TIMES } from '../../../src/features/events/webhooks/times.ts';
import type { Client } from '../../harness/client.ts';
import { startTestService, type TestOptions, type TestService } from '../../harness/service.ts';

/** Milliseconds. A failed attempt is repeated soon, and a silent process loses its webhooks soon. */
export const QUICK = { ...WEBHOOK_TIMES, firstPause: 5, lastPause: 40, save: 20, look: 20, beat: 100, silence: 600 };

export interface Made {
  readonly id: string;
  readonly secret: string;
  readonly cursor: string;
}

export interface ReadWebhook {
  readonly state: string;
  readonly reason?: string;
  readonly nextAttemptAt?: string;
  readonly cursor: string;
  readonly behind: number;
  readonly attempts: readonly { number: number; message: string; type: string; status?: number; failure?: string }[];
}

/** Webhooks may send to receivers on loopback. */
export const startWebhooks = (options: TestOptions = {}): Promise<TestService> =>
  startTestService({ webhooks: true, webhookTimes: QUICK, webhookAllow: ['127.0.0.0/8'], ...options });

/** Creates a webhook with these terms. */
export async function makeWebhook(client: Client, terms: object): Promise<Made> {
  const response = await client.send('POST', '/webhooks', { body: terms });
  assert.equal(response.status, 201, response.text);
  return response.json() as Made;
}

export async function readWebhook(client: Client, { id }: Pick<Made, 'id'>): Promise<ReadWebhook> {
  const response = await client.send('GET', `/webhooks/${id}`);
  assert.equal(response.status, 200, response.text);
  return response.json() as ReadWebhook;
}

/** Creates plants with these ids, one after another. */
export async function makePlants(client: Client, ids: Iterable<number>): Promise<void> {
  for (const id of ids) {
    const response = await client.send('POST', '/plants', { body: { id, name: `plant ${id}` } });
    assert.equal(response.status, 200, response.text);
  }
}
