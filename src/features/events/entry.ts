/** Events as an entry of the list of features. */
import { UsageError } from '../../cli/command-line.ts';
import type { FeatureEntry } from '../entry.ts';
import { eventsCommands } from './commands.ts';
import { eventOptions } from './options.ts';

export const EVENTS_ENTRY = {
  name: 'events',
  options: eventOptions,
  commands: eventsCommands,
  errors: {
    40030: 'The service does not send webhooks to this address. The message contains the reason.',
    40031: 'The store has the maximum number of webhooks.',
    40403: 'The store has no such webhook.',
    41000: 'The events after the cursor are no longer kept. The message explains how to begin again.',
  },
  scopes: ['webhooks'],
  isAskedFor: ({ demo, events, webhooks }) => demo || events || webhooks,
  async load(config) {
    const { openEvents } = await import('./index.ts');
    if (!config.demo && !config.webhooks) return openEvents(config);
    return openEvents(config, (await import('./webhooks/index.ts')).openWebhooks);
  },
  async check({ demo, webhookAllow }) {
    if (demo && webhookAllow !== undefined) throw new UsageError(IN_DEMO);
  },
} satisfies FeatureEntry<typeof eventOptions>;

const IN_DEMO =
  '--webhook-allow cannot be given with --demo: any web page can use a demo, so its webhooks deliver only to ' +
  'inboxes. Start a service with --webhooks --sandboxes 100 instead';
