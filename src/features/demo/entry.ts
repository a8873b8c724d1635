/** The demo as an entry of the list of features. Its option changes other parts too, so every service has it. */
import type { FeatureEntry } from '../entry.ts';

export const DEMO_ENTRY = {
  name: 'demo',
  isAskedFor: ({ demo }) => demo,
  load: async () => (await import('./index.ts')).openDemo,
  prepare: async ({ demo }) => (demo ? { config: (await import('./index.ts')).DEMO } : undefined),
} satisfies FeatureEntry;
