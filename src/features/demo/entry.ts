/** The demo: a temporary database, and a token that is no secret. The sandboxes add the garden. */
import type { FeatureEntry } from '../entry.ts';

/** The configuration of every demo. */
const DEMO = { database: 'temporary', token: 'demo' } as const;

/** The option --demo changes other parts too, so every service has it. */
export const DEMO_ENTRY = {
  name: 'demo',
  isAskedFor: ({ demo }) => demo,
  load: async () => () => ({ page: { token: DEMO.token } }),
  prepare: async ({ demo }) => (demo ? { config: DEMO } : undefined),
} satisfies FeatureEntry;
