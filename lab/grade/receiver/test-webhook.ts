/** The webhook of one scenario, in a sandbox that is made for it and deleted at its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NewPlant } from '../../../src/contract/openapi.generated.ts';
import { request } from '../own-service.ts';
import { isSuccess } from './verdict.ts';

/** How often the service is asked whether a message has arrived, in milliseconds. */
const LOOK_MS = 25;
/** How many failed attempts of a message are waited for. The second follows about a second after the first. */
const ATTEMPTS = 2;
/** The longest pause before the next attempt that is waited for. A receiver can ask for an hour by Retry-After. */
const LONGEST_PAUSE_MS = 10_000;

/** An attempt of the webhook, as the service shows it. */
export interface Attempt {
  readonly at: string;
  readonly message: string;
  readonly type: string;
  readonly status?: number;
  /** Why there is no status. */
  readonly failure?: string;
  readonly milliseconds: number;
  /** The start of the response. */
  readonly response?: string;
}

interface Created {
  readonly id: string;
  readonly secret: string;
  readonly cursor: string;
}

interface Shown {
  readonly state: string;
  readonly nextAttemptAt?: string;
  /** The last event that has arrived. Its message has the same id. */
  readonly cursor: string;
  readonly behind: number;
  /** The last attempt comes first. */
  readonly attempts: readonly Attempt[];
}

export interface TestWebhook extends AsyncDisposable {
  readonly secret: string;
  create(id: bigint, name: string): Promise<unknown>;
  replace(id: bigint, name: string): Promise<unknown>;
  remove(id: bigint): Promise<unknown>;
  /** Resolves to the new secret. */
  rotate(): Promise<string>;
  test(): Promise<unknown>;
  /** Sends all events again that came after the webhook was created. */
  goBack(): Promise<unknown>;
  /** Resolves to the attempts, once every event has arrived, or no other will arrive soon, or `stop` aborts. */
  delivered(stop?: AbortSignal): Promise<readonly Attempt[]>;
}

/** Creates a webhook that sends to a receiver. Rejects with a StartupError if the service refuses it. */
export async function createTestWebhook(service: string, url: string): Promise<TestWebhook> {
  let token = '';
  const send = (method: string, path: string, body?: string) => request(service, token, method, path, body);
  const read = async <Value>(method: string, path: string, body?: string) =>
    (await (await send(method, path, body)).json()) as Value;
  ({ token } = await read<{ readonly token: string }>('POST', '/sandboxes'));
  const { id: webhook, secret, cursor } = await read<Created>('POST', '/webhooks', JSON.stringify({ url }));
  const path = `/webhooks/${webhook}`;
  return {
    secret,
    create: (id, name) => send('POST', '/plants', NewPlant.write({ id, name })),
    replace: (id, name) => send('PUT', `/plants/${id}`, JSON.stringify({ name })),
    remove: (id) => send('DELETE', `/plants/${id}`),
    rotate: async () => (await read<{ readonly secret: string }>('POST', `${path}/secret`)).secret,
    test: () => send('POST', `${path}/test`),
    goBack: () => send('PUT', `${path}/cursor`, JSON.stringify({ after: cursor })),
    async delivered(stop) {
      for (;;) {
        const { state, nextAttemptAt = '', cursor: place, behind, attempts } = await read<Shown>('GET', path);
        const failed = attempts.filter(({ type, status }) => type !== 'webhook.test' && !isSuccess(status));
        const isPaused = Date.parse(nextAttemptAt) - Date.now() > LONGEST_PAUSE_MS;
        // 410 disables the webhook.
        const isLast = state === 'disabled' || isPaused;
        // The service saves its place, and that the webhook is disabled or waits, before the attempts.
        const failures = Map.groupBy(failed, ({ message }) => message).values();
        const isOver = failures.some(({ length }) => length >= ATTEMPTS) || (isLast && failed.length > 0);
        const hasAll = behind === 0 && attempts.some(({ message }) => message === place);
        if (hasAll || isOver || stop?.aborted) return attempts;
        await sleep(LOOK_MS);
      }
    },
    async [Symbol.asyncDispose]() {
      await send('DELETE', '/sandbox');
    },
  };
}
