/** The options of `plantstore serve` for events. */
import type { Config, Options } from '../../cli/command-line.ts';
import { SWITCH, withDefault } from '../../cli/options.ts';
import { lifetime } from '../../cli/values.ts';

export const eventOptions = {
  events: {
    ...SWITCH,
    help:
      'Serves GET /events, the feed of events. The first start turns events on in the database. Every process on the ' +
      'database then writes events, until plantstore events off. Always on with --demo.',
  },
  eventsKeep: withDefault(
    lifetime,
    'TIME',
    '7d',
    'How long events are kept. A sandbox keeps only its last 500 events.',
  ),
} satisfies Options;

/** `eventsKeep` is in milliseconds. */
export type EventConfig = Config<typeof eventOptions>;
