/** The feature `events`, for `serve --events` and for a demo. */

import { createLinks } from '../../contract/links.ts';
import type { Feature, OpenFeature } from '../../feature.ts';
import { type Api, createApi, type ServedDocument } from '../../http/api.ts';
import { credentialOf, type Exchange } from '../../http/exchange.ts';
import type { Steps } from '../../http/pipeline.ts';
import { type Reserve, SHORT } from '../../http/reserve.ts';
import { readAsset } from '../../util/assets.ts';
import { formFor } from './accept.ts';
import { createArrivals } from './arrivals.ts';
import { createCursors } from './cursors.ts';
import { operations } from './events.generated.ts';
import { createFeed, type Feed, type FeedParts } from './feed.ts';
import { handlers } from './handlers.ts';
import { startRetention } from './retention.ts';

const DOCUMENTS: readonly ServedDocument[] = [
  {
    path: '/events/openapi.json',
    type: 'application/json',
    read: () => readAsset('features/events/events.served.json'),
  },
  {
    path: '/events/openapi.yaml',
    type: 'application/yaml',
    read: () => readAsset('features/events/events.served.yaml'),
  },
];

/** Parts of the service that the Api uses. Earlier features may have wrapped them. */
interface Wrapped {
  authenticate: Steps['authenticate'];
  reserve: Reserve;
}

export const openEvents: OpenFeature = async ({ config, engine, log, now }): Promise<Feature> => {
  await engine.events.turnOn();
  const arrivals = createArrivals(engine.plants, engine.events.period);
  const cursors = createCursors(engine.cursorKey);
  // Earlier features wrap this store, so that long pages of visitors are read in slices.
  let plants = engine.plants;
  const reads: FeedParts['plants'] = {
    events: (...place) => plants.events(...place),
    newestEvents: (stores) => plants.newestEvents(stores),
  };
  const feed = createFeed({ plants: reads, period: engine.events.period, cursors, arrivals });
  const retention = startRetention(engine.statements, config.eventsKeep, now, log);
  const notYet = () => {
    throw new Error('the service has not been opened');
  };
  const wrapped: Wrapped = { authenticate: notYet, reserve: notYet };
  return {
    apis: [createEventsApi(feed, wrapped, config.baseUrl ?? '')],
    page: { events: '/events' },
    plants: (own) => {
      plants = own;
      return arrivals.wrap(own);
    },
    steps: (own) => {
      wrapped.authenticate = own.authenticate;
      return own;
    },
    reserve: (own) => {
      wrapped.reserve = own;
      return own;
    },
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
};

function createEventsApi(feed: Feed, wrapped: Wrapped, baseUrl: string): Api {
  const links = createLinks(operations, baseUrl);
  return createApi({
    operations,
    handlers,
    documents: DOCUMENTS,
    contextOf: (exchange: Exchange) => ({
      store: credentialOf(exchange).store,
      feed,
      links,
      form: formFor(exchange.request.headers.accept),
      presentStore: async () => (await wrapped.authenticate(exchange)).store,
      reserve: () => wrapped.reserve(exchange, SHORT + 1),
      signal: () => exchange.signal,
      reader: exchange,
      excuse: (milliseconds) => {
        exchange.began += milliseconds;
      },
    }),
  });
}
