/** Sandboxes as an entry of the list of features. */
import { readValue, UsageError } from '../../cli/command-line.ts';
import type { FeatureEntry } from '../entry.ts';
import { sandboxCommands } from './commands.ts';
import { sandboxOptions } from './options.ts';
import { sandboxErrors } from './problems.ts';

export const SANDBOX_ENTRY = {
  name: 'sandboxes',
  options: sandboxOptions,
  commands: sandboxCommands,
  errors: sandboxErrors,
  polled: /\/(?:sandbox(?:\/(?:faults|plants|requests))?|webhooks(?:\/\w+\/deliveries)?)$/,
  isAskedFor: ({ demo, sandboxes }) => demo || sandboxes !== undefined,
  load: async (config) => (await import('./index.ts')).openSandboxes(config),
  async prepare({ demo, fault, sandboxes, rateLimit }) {
    if (fault !== undefined && !demo) throw new UsageError(NO_DEMO);
    const faults = fault && (await describeFaults(fault));
    return {
      places: (url) => [
        ...(sandboxes === undefined ? [] : [`  Sandboxes: POST ${url}/sandboxes creates one, without a token`]),
        ...(faults === undefined ? [] : [`  Faults: ${faults.kinds}, until you switch them off on the page`]),
      ],
      warnings: () => [
        ...(sandboxes !== undefined && rateLimit === undefined ? [NO_RATE_LIMIT] : []),
        ...(faults?.warnings ?? []),
      ],
    };
  },
} satisfies FeatureEntry<typeof sandboxOptions>;

/** The kinds of the faults, and a warning if some never happen. Throws a UsageError if a rule is wrong. */
async function describeFaults(texts: readonly string[]) {
  const { placeOfLastRule, readFirstRules } = await import('./faults/first-rules.ts');
  const rules = readValue('--fault', '', () => readFirstRules(texts));
  const place = placeOfLastRule(rules);
  const last = `  --fault: rule ${place} applies to every request, so the rules after it never do. Put it last.`;
  return {
    kinds: rules.map(({ fault }) => fault.kind).join(', '),
    warnings: place === undefined ? [] : [last],
  };
}

const NO_DEMO =
  '--fault cannot be given without --demo: another service has no sandbox at its start. ' +
  'Add --demo, or set the rules of a sandbox with PUT /sandbox/faults';

/** Also on loopback: a proxy on this machine may forward requests of the public. */
const NO_RATE_LIMIT =
  '  --rate-limit is not set, so visitors may send any number of requests. Set it if strangers can reach this.';
