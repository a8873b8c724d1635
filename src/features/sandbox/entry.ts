/** Sandboxes as an entry of the list of features. A demo is a service with a sandbox of its own. */
import { readValue, UsageError } from '../../cli/command-line.ts';
import type { FeatureEntry } from '../entry.ts';
import { sandboxCommands } from './commands.ts';
import { sandboxOptions } from './options.ts';

export const SANDBOX_ENTRY = {
  name: 'sandboxes',
  options: sandboxOptions,
  commands: sandboxCommands,
  errors: {
    40010:
      'The sandbox is full: it has too many plants or snapshots, or they are too large. The message names the limit.',
    40020: 'A fault is malformed, it does not apply to the operation, or the rules are too long together.',
    40021: 'The sandbox of a demo cannot be deleted. Reset it with POST /sandbox/reset.',
    40402: 'The sandbox has no such snapshot.',
    42901: 'The maximum number of sandboxes is reached, for the whole service or for this address.',
    42902: 'The sandbox or the address has used up a budget. The message names the budget.',
  },
  polled: /\/(?:sandbox(?:\/(?:faults|plants|requests))?|webhooks(?:\/\w+\/deliveries)?)$/,
  isAskedFor: ({ demo, sandboxes }) => demo || sandboxes !== undefined,
  load: async (config) => (await import('./index.ts')).openSandboxes(config),
  async check({ demo, fault }) {
    if (fault !== undefined && !demo) throw new UsageError(NO_DEMO);
  },
  async prepare({ demo, fault, sandboxes, rateLimit }) {
    const faults = fault && (await describeFaults(fault));
    return {
      ...(demo && { config: DEMO }),
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

/** The configuration of every demo. The token is no secret. */
const DEMO = { database: 'temporary', token: 'demo' };

const NO_DEMO =
  '--fault cannot be given without --demo: another service has no sandbox at its start. ' +
  'Add --demo, or set the rules of a sandbox with PUT /sandbox/faults';

/** Also on loopback: a proxy on this machine may forward requests of the public. */
const NO_RATE_LIMIT =
  '  --rate-limit is not set, so visitors may send any number of requests. Set it if strangers can reach this.';
