/** Sandboxes as an entry of the list of features. */
import type { FeatureEntry } from '../entry.ts';
import { sandboxCommands } from './commands.ts';
import { sandboxOptions } from './options.ts';
import { sandboxErrors } from './problems.ts';

export const SANDBOX_ENTRY = {
  name: 'sandboxes',
  options: sandboxOptions,
  commands: sandboxCommands,
  errors: sandboxErrors,
  polled: /\/sandbox(?:\/(?:faults|plants|requests))?$/,
  isAskedFor: ({ demo, sandboxes }) => demo || sandboxes !== undefined,
  load: async (config) => (await import('./index.ts')).openSandboxes(config),
  async prepare({ sandboxes, rateLimit }) {
    if (sandboxes === undefined) return undefined;
    return {
      places: (url) => [`  Sandboxes: POST ${url}/sandboxes creates one, without a token`],
      warnings: () => (rateLimit === undefined ? [NO_RATE_LIMIT] : []),
    };
  },
} satisfies FeatureEntry<typeof sandboxOptions>;

/** Also on loopback: a proxy on this machine may forward requests of the public. */
const NO_RATE_LIMIT =
  '  --rate-limit is not set, so visitors may send any number of requests. Set it if strangers can reach this.';
