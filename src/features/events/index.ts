/** The feature `events`, for `serve --events` and for a demo. */

import { createLinks } from '../../contract/links.ts';
import type { Composed, OpenFeature } from '../../feature.ts';
import { type Api, createApi } from '../../http/api.ts';
import { inTurn } from '../../http/in-turn.ts';
import type { Metric } from '../../observe/metrics.ts';
import { createCursors, EVENT_LISTS } from '../../plants/cursor.ts';
import { createArrivals } from './arrivals.ts';
import { exposedFields, operations } from './events.generated.ts';
import { createFeed, type Feed } from './feed.ts';
import { handlers } from './handlers.ts';
import type { EventConfig } from './options.ts';
import { startRetention } from './retention.ts';
import type { openWebhooks, Webhooks } from './webhooks/index.ts';

/** `open`: undefined for a service without webhooks, which does not load their code. */
export function openEvents(own: EventConfig, open?: typeof openWebhooks): OpenFeature {
  return async (context) => {
    const { config, engine, log } = context;
    await engine.events.turnOn();
    const arrivals = createArrivals(engine.plants, engine.events.period);
    const cursors = createCursors(engine.cursorKey, EVENT_LISTS);
    const retention = startRetention(engine, own.eventsKeep, log);
    let opened: Webhooks | undefined;
    return {
      apis(composed) {
        const feed = createFeed({ plants: composed.plants, period: engine.events.period, cursors, arrivals });
        const api = createEventsApi(feed, composed, config.baseUrl ?? '');
        if (open === undefined) return [api];
        opened = open(context, own, feed, composed);
        return [api, opened.api];
      },
      page: { events: '/events', ...(open !== undefined && { webhooks: '/webhooks' }) },
      exposedFields,
      scopes: open === undefined ? [] : ['webhooks'],
      plants: arrivals.wrap,
      metrics: [
        {
          name: 'events_removed_total',
          help: 'Events that this process removed because they were too old',
          read: retention.count,
        },
        ...(open === undefined ? [] : webhookMetrics(() => opened?.counts)),
      ],
      async close() {
        await opened?.close();
        arrivals.close();
        retention.close();
      },
    };
  };
}

const webhookMetrics = (counts: () => Webhooks['counts'] | undefined): readonly Metric[] => [
  {
    name: 'webhook_messages_total',
    help: 'Messages of webhooks that arrived at their receiver or inbox',
    read: () => counts()?.arrived ?? 0,
  },
  { name: 'webhook_failures_total', help: 'Attempts of webhooks that failed', read: () => counts()?.failed ?? 0 },
];

function createEventsApi(feed: Feed, { authenticate, reserve }: Composed, baseUrl: string): Api {
  const links = createLinks(operations, baseUrl);
  return createApi({
    operations,
    handlers,
    documents: {
      '/events/openapi.json': 'features/events/events.served.json',
      '/events/openapi.yaml': '../contract/events.yaml',
    },
    contextOf: (exchange) => ({
      exchange,
      feed,
      links,
      authenticate: async () => authenticate(exchange),
      client: {
        isPublic: exchange.credential.isPublic === true,
        reserve(bytes) {
          reserve(exchange, bytes);
          exchange.reserved += bytes;
        },
        inTurn: (read) => inTurn(exchange, read),
      },
    }),
  });
}
