/** Lists the features, and loads the features that a configuration asks for. */
import type { ServeConfig } from '../config.ts';
import type { OpenFeature } from '../feature.ts';
import type { FeatureEntry } from './entry.ts';

/** From the innermost to the outermost: the events wrap a sandbox, and a sandbox wraps the store. */
export const FEATURES: readonly FeatureEntry[] = [
  {
    isAskedFor: ({ demo }) => demo,
    load: async () => (await import('./demo/index.ts')).openDemo,
    prepare: async ({ demo }) => (demo ? { config: (await import('./demo/index.ts')).DEMO } : undefined),
  },
  {
    isAskedFor: ({ demo, sandboxes }) => demo || sandboxes !== undefined,
    load: async () => (await import('./sandbox/index.ts')).openSandboxes(),
  },
  {
    isAskedFor: ({ demo, events }) => demo || events,
    load: async () => (await import('./events/index.ts')).openEvents,
  },
];

export function loadFeatures(config: ServeConfig, features = FEATURES): Promise<readonly OpenFeature[]> {
  return Promise.all(features.filter((entry) => entry.isAskedFor(config)).map((entry) => entry.load(config)));
}
