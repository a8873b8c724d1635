/** The feature `events`, for `serve --events` and for a demo. */

import { createLinks } from '../../contract/links.ts';
import type { Composed, Feature, FeatureContext, OpenFeature } from '../../feature.ts';
import { type Api, createApi } from '../../http/api.ts';
import { jsonDocument, yamlDocument } from '../../http/documents.ts';
import { inTurn } from '../../http/in-turn.ts';
import { formFor } from './accept.ts';
import { createArrivals } from './arrivals.ts';
import { createCursors } from './cursors.ts';
import { exposedFields, operations } from './events.generated.ts';
import { createFeed, type Feed } from './feed.ts';
import { handlers } from './handlers.ts';
import { startRetention } from './retention.ts';

/** `keep`: how long events are kept, in milliseconds. */
export function openEvents(keep: number): OpenFeature {
  return (context) => open(context, keep);
}

async function open({ config, engine, log, now }: FeatureContext, keep: number): Promise<Feature> {
  await engine.events.turnOn();
  const arrivals = createArrivals(engine.plants, engine.events.period);
  const cursors = createCursors(engine.cursorKey);
  const retention = startRetention(engine.statements, keep, now, log);
  return {
    apis(composed) {
      const feed = createFeed({ plants: composed.plants, period: engine.events.period, cursors, arrivals });
      return [createEventsApi(feed, composed, config.baseUrl ?? '')];
    },
    page: { events: '/events' },
    exposedFields,
    plants: arrivals.wrap,
    metrics: [
      {
        name: 'events_removed_total',
        help: 'Events that this process removed because they were too old',
        type: 'counter',
        read: retention.count,
      },
    ],
    close() {
      arrivals.close();
      retention.close();
    },
  };
}

function createEventsApi(feed: Feed, { authenticate, reserve }: Composed, baseUrl: string): Api {
  const links = createLinks(operations, baseUrl);
  return createApi({
    operations,
    handlers,
    documents: [
      jsonDocument('/events/openapi.json', 'features/events/events.served.json'),
      yamlDocument('/events/openapi.yaml', 'events.yaml'),
    ],
    contextOf: (exchange) => ({
      store: exchange.credential.store,
      feed,
      links,
      form: formFor(exchange.request.headers.accept),
      authenticate: async () => authenticate(exchange),
      signal: () => exchange.signal,
      client: {
        get hasLeft() {
          return exchange.hasLeft;
        },
        isPublic: exchange.credential.isPublic === true,
        reserve(bytes) {
          reserve(exchange, bytes);
          exchange.reserved += bytes;
        },
        inTurn: (read) => inTurn(exchange, read),
      },
      excuse: (milliseconds) => {
        exchange.began += milliseconds;
      },
    }),
  });
}
