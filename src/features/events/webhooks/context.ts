/** What all parts of the webhooks share. */
import type { Composed, FeatureContext } from '../../../feature.ts';
import type { StoreName } from '../../../plants/plant.ts';
import type { Feed } from '../feed.ts';
import type { EventConfig } from '../options.ts';
import type { Client } from '../slices.ts';
import type { CheckDestination } from './destination.ts';
import type { WebhookRecords } from './records.ts';
import type { WebhookTimes } from './times.ts';

export interface WebhookContext
  extends Pick<FeatureContext, 'now' | 'random' | 'log'>,
    Pick<Composed, 'deliver' | 'isValid'> {
  readonly options: EventConfig;
  readonly times: WebhookTimes;
  readonly records: WebhookRecords;
  readonly feed: Feed;
  readonly check: CheckDestination;
  /** The key in the database from which all secrets are derived. */
  readonly key: Uint8Array;
  /** How a webhook of a store reads events. */
  readonly clientOf: (store: StoreName) => Client;
}
