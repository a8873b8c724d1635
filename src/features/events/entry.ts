/** Events as an entry of the list of features. */
import type { FeatureEntry } from '../entry.ts';
import { eventsCommands } from './commands.ts';
import { eventOptions } from './options.ts';
import { eventErrors } from './problems.ts';

export const EVENTS_ENTRY = {
  name: 'events',
  options: eventOptions,
  commands: eventsCommands,
  errors: eventErrors,
  isAskedFor: ({ demo, events }) => demo || events,
  load: async ({ eventsKeep }) => (await import('./index.ts')).openEvents(eventsKeep),
} satisfies FeatureEntry<typeof eventOptions>;
