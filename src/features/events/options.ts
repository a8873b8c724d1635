/** The options of `plantstore serve` for events. */
import type { Config, Options } from '../../cli/command-line.ts';
import { number, SWITCH, withDefault } from '../../cli/options.ts';
import { addresses, lifetime } from '../../cli/values.ts';

export const eventOptions = {
  events: {
    ...SWITCH,
    help:
      'Serves GET /events, the feed of events. Always on with --demo. The first start turns events on in the ' +
      'database: every process on it then writes events, until you run plantstore events off.',
  },
  eventsKeep: withDefault(
    lifetime,
    'TIME',
    '7d',
    'How long events are kept. A sandbox keeps only its last 500 events.',
  ),
  webhooks: {
    ...SWITCH,
    help:
      'Sends events to receivers, signed as Standard Webhooks 1.0 defines. Turns --events on. Always on with --demo. ' +
      'The token needs the scopes plants:read and webhooks.',
  },
  webhookAllow: {
    read: addresses,
    value: 'NETWORK',
    list: true,
    help:
      'Networks to which webhooks may send, public or not, also with http. Webhooks of sandboxes may ' +
      'send only to these networks. Default: none.',
  },
  webhookConcurrency: number(
    2,
    10_000,
    '100',
    'Maximum number of attempts to send messages at the same time. Half of them are for sandboxes, half for others. ' +
      'One store may have a quarter of its half.',
  ),
  webhooksPerStore: number(1, 100, '10', 'Maximum number of webhooks of a store.'),
  webhookRetryFor: withDefault(lifetime, 'TIME', '24h', 'How long a receiver may fail before its webhook is disabled.'),
} satisfies Options;

/** `eventsKeep` and `webhookRetryFor` are in milliseconds. */
export type EventConfig = Config<typeof eventOptions>;
