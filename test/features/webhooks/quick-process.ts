/** The whole command line, whose webhooks have short times, for tests that kill processes. */
import { PROGRAM } from '../../../lab/program.ts';
import { runProcess } from '../../../src/cli/process.ts';
import { EVENTS_ENTRY } from '../../../src/features/events/entry.ts';
import { openEvents } from '../../../src/features/events/index.ts';
import { openWebhooks } from '../../../src/features/events/webhooks/index.ts';
import type { FullConfig } from '../../../src/features/index.ts';
import { QUICK } from './webhooks.ts';

const times = { ...QUICK, attempt: 400 };
const events = {
  ...EVENTS_ENTRY,
  load: async (config: FullConfig) =>
    openEvents(config, (context, own, feed, composed) => openWebhooks(context, own, feed, composed, times)),
};
await runProcess({
  ...PROGRAM,
  features: PROGRAM.features.map((entry) => (entry.name === EVENTS_ENTRY.name ? events : entry)),
});
