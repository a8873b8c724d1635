/** The scenarios, in the order of the table. Each happens to a receiver that was started for it. */
import { createDraft, type Draft, type Message, post, signed } from './message.ts';
import type { TestWebhook } from './test-webhook.ts';
import { isSuccess, type Sent } from './verdict.ts';

export interface Stage {
  /** A webhook of the service. What it sends is right. */
  readonly webhook: TestWebhook;
  /** The address of the receiver. */
  readonly url: string;
  /** The secret that the receiver has. */
  readonly secret: string;
}

export interface Scenario {
  readonly name: string;
  /** A sentence about the messages. */
  readonly does: string;
  /** Whether the secret is rotated before the receiver starts, so that the receiver has the new secret. */
  readonly hasNewSecret?: true;
  /** Resolves to the messages that the lab has sent itself. */
  perform(stage: Stage): Promise<readonly Sent[]>;
}

/** The service sends the messages. */
const real = (name: string, does: string, act: (webhook: TestWebhook) => Promise<unknown>): Scenario => ({
  name,
  does,
  async perform({ webhook }) {
    await act(webhook);
    return [];
  },
});

/** The lab sends a message, once or several times at the same time, and repeats a right one that was not accepted. */
async function send(url: string, { id }: Draft, message: Message, right: Sent['right'], times = 1): Promise<Sent> {
  const answers = await Promise.all(Array.from({ length: times }, () => post(url, message)));
  const isRight = right === 'stored' || right === 'acknowledged';
  if (isRight && !answers.every(isSuccess)) answers.push(await post(url, message));
  return { ids: [id, message.headers['webhook-id'] ?? id], right, answers, message };
}

/** The lab sends one message that a receiver must refuse. */
const faulty =
  (right: 'accepted a forgery' | 'accepted a replay') =>
  (name: string, does: string, change: (draft: Draft) => Message, more?: Pick<Sent, 'mayClose'>): Scenario => ({
    name,
    does,
    async perform({ url, secret }) {
      const draft = createDraft(secret);
      return [{ ...(await send(url, draft, change(draft), right)), ...more }];
    },
  });
const forgery = faulty('accepted a forgery');
const replay = faulty('accepted a replay');

/** The message with other headers. */
const withHeaders = (message: Message, headers: Message['headers']): Message => ({
  ...message,
  headers: { ...message.headers, ...headers },
});
const withSignature = (draft: Draft, change: (signature: string) => string): Message => {
  const message = signed(draft);
  return withHeaders(message, { 'webhook-signature': change(message.headers['webhook-signature'] ?? '') });
};
const without = (draft: Draft, name: string): Message => {
  const { [name]: _, ...headers } = signed(draft).headers;
  return { ...signed(draft), headers };
};

const ANOTHER_SECRET = `whsec_${Buffer.alloc(32, 'another').toString('base64')}`;
const ANOTHER_SIGNATURE = Buffer.alloc(32, 'another').toString('base64');
/** Twice the tolerance of the official libraries, in seconds. */
const FAR = 600;
const HUGE = 16_777_216;
/** JavaScript rounds this id, so a receiver that writes the JSON again has another body. */
const GREATEST = 2n ** 63n - 1n;

/** The control: a receiver that is wrong here would be wrong everywhere. */
export const CONTROL = real('right', 'The service sends one event.', async () => undefined);

export const SCENARIOS: readonly Scenario[] = [
  // Right messages.
  CONTROL,
  real('changes', 'A plant is created, replaced and deleted.', async (webhook) => {
    await webhook.create(1n, 'Aloe vera');
    await webhook.replace(1n, 'Agave');
    await webhook.remove(1n);
  }),
  real('exact', 'The id is the highest int64, and the name has emoji and Arabic letters.', (webhook) =>
    webhook.create(GREATEST, 'Aloë 🌵 العربية \\/'),
  ),
  real(
    'old-secret',
    'The secret was rotated. Of two signatures, the second is by the secret of the receiver.',
    (webhook) => webhook.rotate(),
  ),
  {
    ...real('new-secret', 'The same. The first is by the secret of the receiver.', async () => undefined),
    hasNewSecret: true,
  },
  {
    name: 'other-versions',
    does: 'Signatures of other versions stand before and after the right one.',
    async perform({ url, secret }) {
      const draft = createDraft(secret);
      const message = withSignature(draft, (one) => `v1a,${ANOTHER_SIGNATURE} ${one} v2,short`);
      return [await send(url, draft, message, 'stored')];
    },
  },
  real('test-message', 'The service sends a test message. It must be answered with 2xx.', (webhook) => webhook.test()),
  {
    name: 'unknown-type',
    does: 'An event has a type that is not described. It must be answered with 2xx.',
    async perform({ url, secret }) {
      const draft = createDraft(secret, 1, 'plant.watered');
      return [await send(url, draft, signed(draft), 'acknowledged')];
    },
  },
  // Right messages that come again, or in another order.
  real('repeated', 'The service sends two events again, with the same ids and new times.', async (webhook) => {
    await webhook.create(1n, 'Aloe vera');
    await webhook.replace(1n, 'Agave');
    await webhook.delivered();
    await webhook.goBack();
  }),
  {
    name: 'same-time',
    does: 'The same message arrives on three connections at the same time.',
    async perform({ url, secret }) {
      const draft = createDraft(secret);
      return [await send(url, draft, signed(draft), 'stored', 3)];
    },
  },
  {
    name: 'out-of-order',
    does: 'The later of two events arrives first.',
    async perform({ url, secret }) {
      const [first, second] = [createDraft(secret, 1), createDraft(secret, 2)];
      return [await send(url, second, signed(second), 'stored'), await send(url, first, signed(first), 'stored')];
    },
  },
  // Forgeries.
  forgery('unsigned', 'There is no signature.', (draft) => without(draft, 'webhook-signature')),
  forgery('no-id', 'There is no id.', (draft) => without(draft, 'webhook-id')),
  forgery('no-timestamp', 'There is no time.', (draft) => without(draft, 'webhook-timestamp')),
  forgery('another-secret', 'It is signed with another secret.', (draft) =>
    signed({ ...draft, secret: ANOTHER_SECRET }),
  ),
  forgery('another-body', 'The signature belongs to another body.', (draft) => ({
    ...signed({ ...draft, body: draft.body.replace('Aloe vera', 'Agave') }),
    body: draft.body,
  })),
  forgery('another-format', 'The body was formatted after it was signed. Its JSON is the same.', (draft) => ({
    ...signed(draft),
    body: JSON.stringify(JSON.parse(draft.body), undefined, 2),
  })),
  forgery('another-id', 'The id was changed after it was signed.', (draft) =>
    withHeaders(signed(draft), { 'webhook-id': createDraft(draft.secret).id }),
  ),
  forgery('another-version', 'The right signature has the version v2.', (draft) =>
    withSignature(draft, (one) => one.replace('v1,', 'v2,')),
  ),
  forgery('short-signature', 'The signature is cut to its first half, which is not Base64.', (draft) =>
    withSignature(draft, (one) => one.slice(0, 'v1,'.length + 21)),
  ),
  forgery('no-base64', 'The signature is not Base64.', (draft) => withSignature(draft, () => 'v1,%%% v1,')),
  forgery('no-version', 'The signature has no version.', (draft) => withSignature(draft, (one) => one.slice(3))),
  forgery('no-number', 'The time is a word, and the signature is by another secret.', (draft) =>
    withHeaders(signed({ ...draft, secret: ANOTHER_SECRET }), { 'webhook-timestamp': 'yesterday' }),
  ),
  forgery('no-json', 'An unsigned body is not JSON.', () => ({ headers: {}, body: '{"id":' })),
  forgery('empty', 'An unsigned body is empty.', () => ({ headers: {}, body: '' })),
  forgery('huge', 'An unsigned body has 16 MiB.', () => ({ headers: {}, body: `"${'a'.repeat(HUGE - 2)}"` }), {
    mayClose: true,
  }),
  // Replays.
  replay('old', 'The time is ten minutes ago.', (draft) => signed({ ...draft, time: draft.time - FAR })),
  replay('future', 'The time is in ten minutes.', (draft) => signed({ ...draft, time: draft.time + FAR })),
  replay('another-time', 'The time of an old message was changed to now.', (draft) =>
    withHeaders(signed({ ...draft, time: draft.time - FAR }), { 'webhook-timestamp': String(draft.time) }),
  ),
];
