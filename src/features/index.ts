/** The features that a configuration asks for. Only this file loads them. */
import type { ServeConfig } from '../config.ts';
import type { OpenFeature } from '../feature.ts';

interface Entry {
  readonly isAskedFor: (config: ServeConfig) => boolean;
  /** Imports the feature's code. Most services start without it. */
  readonly load: (config: ServeConfig) => Promise<OpenFeature>;
}

/**
 * From the innermost to the outermost: a defect wraps the events, the events wrap a sandbox, and a sandbox wraps the
 * store.
 */
const FEATURES: readonly Entry[] = [
  {
    isAskedFor: ({ demo }) => demo,
    load: async () => (await import('./demo/index.ts')).openDemo,
  },
  {
    isAskedFor: ({ demo, sandboxes }) => demo || sandboxes !== undefined,
    load: async () => (await import('./sandbox/index.ts')).openSandboxes(),
  },
  {
    isAskedFor: ({ demo, events }) => demo || events,
    load: async () => (await import('./events/index.ts')).openEvents,
  },
  {
    isAskedFor: ({ defect, mystery }) => defect !== undefined || mystery !== undefined,
    load: async ({ defect = '', variants, mystery }) => {
      const { plantDefect, plantMystery } = await import('../../lab/defects/index.ts');
      return mystery === undefined ? plantDefect(defect, variants) : plantMystery(mystery);
    },
  },
];

export function loadFeatures(config: ServeConfig): Promise<readonly OpenFeature[]> {
  return Promise.all(FEATURES.filter(({ isAskedFor }) => isAskedFor(config)).map(({ load }) => load(config)));
}
