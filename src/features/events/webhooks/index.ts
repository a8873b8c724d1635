/** Webhooks, a part of the feature `events`, for `serve --webhooks` and for a demo. */
import { createLinks } from '../../../contract/links.ts';
import type { Composed, FeatureContext } from '../../../feature.ts';
import { type Api, createApi } from '../../../http/api.ts';
import { inTurn, waitForTurn } from '../../../http/in-turn.ts';
import { hasQuota } from '../../../plants/plant.ts';
import { FairShare } from '../../../util/fair-share.ts';
import type { Feed } from '../feed.ts';
import type { EventConfig } from '../options.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import type { WebhookContext } from './context.ts';
import { startDeliverer } from './deliverer.ts';
import { createDestinations } from './destination.ts';
import { handlers } from './handlers.ts';
import { webhookRecords } from './records.ts';
import { WEBHOOK_TIMES } from './times.ts';
import { operations } from './webhooks.generated.ts';

export interface Webhooks {
  readonly api: Api;
  readonly counts: Attempts['counts'];
  close(): Promise<void>;
}

/** The largest part of this thread's time that reading the events of visitors takes. */
const READING = 1 / 8;

export function openWebhooks(
  { config, engine, now, random, log }: FeatureContext,
  options: EventConfig,
  feed: Feed,
  { deliver, isValid, authenticate }: Composed,
  times = WEBHOOK_TIMES,
): Webhooks {
  const reading = new FairShare({ share: READING, of: 'thread' });
  const adding = new FairShare({ share: 1 });
  const context: WebhookContext = {
    ...{ options, times, feed, deliver, isValid, now, random, log },
    records: webhookRecords(engine.statements),
    check: createDestinations(options.webhookAllow ?? []),
    key: engine.cursorKey,
    clientOf: (store) => ({
      isPublic: hasQuota(store),
      reserve() {},
      inTurn: (read) => reading.run(store, read),
    }),
  };
  const attempts = createAttempts(context);
  const deliverer = startDeliverer(context, attempts);
  const links = createLinks(operations, config.baseUrl ?? '');
  const api = createApi({
    operations,
    handlers,
    documents: {
      '/webhooks/openapi.json': 'features/events/webhooks/webhooks.served.json',
      '/webhooks/openapi.yaml': '../contract/webhooks.yaml',
    },
    contextOf: (exchange) => ({
      ...context,
      ...{ exchange, deliverer, attempts, links },
      addInTurn: (add) =>
        waitForTurn(exchange, adding, exchange.credential.store, async () => {
          // Its sandbox may have ended meanwhile. Nothing would remove a webhook that comes after the sandbox's store.
          await authenticate(exchange);
          return add();
        }),
      inTurn: (read) => (exchange.credential.isPublic === true ? inTurn(exchange, read) : read()),
    }),
  });
  return {
    api,
    counts: attempts.counts,
    async close() {
      await deliverer.close();
      attempts.close();
    },
  };
}
