/** The options of `plantstore serve` for sandboxes. */
import type { Config, Options } from '../../cli/command-line.ts';
import { number, withDefault } from '../../cli/options.ts';
import { integer, lifetime, rateLimitOrOff, size } from '../../cli/values.ts';

export const sandboxOptions = {
  sandboxes: {
    read: integer(1, 1_000_000),
    value: 'NUMBER',
    help: 'Lets anyone create sandboxes, up to this number at the same time. Default: none, or 100 with --demo.',
  },
  // Enough for two classes of thirty a day. A school usually has one address.
  sandboxesPerAddress: number(
    1,
    1_000_000,
    '100',
    'Maximum number of sandboxes from one address at the same time. A /48 network of IPv6 may have four times as many.',
  ),
  sandboxCreateRate: withDefault(
    rateLimitOrOff,
    'RATE',
    '60/1m',
    'How often one address may create a sandbox, or off. A /48 network of IPv6 may do so four times as often.',
  ),
  sandboxControlRate: withDefault(
    rateLimitOrOff,
    'RATE',
    '50/s',
    'How often one address may send requests to /sandbox, or off. ' +
      'A /48 network of IPv6 may do so four times as often.',
  ),
  sandboxTtl: withDefault(lifetime, 'TIME', '24h', 'Longest lifetime of a sandbox.'),
  sandboxPlants: number(1, 10_000, '1000', 'Maximum number of plants in a sandbox, at most 10000.'),
  sandboxSize: withDefault(
    size(64 * 2 ** 10, 2 ** 40),
    'SIZE',
    '4MiB',
    'Maximum disk space of the plants of a sandbox. All its snapshots together may take twice as much.',
  ),
  // One address may use a quarter, one sandbox an eighth: enough for the longest page that a full sandbox has.
  sandboxMemory: withDefault(
    size(8 * 2 ** 10, 2 ** 40),
    'SIZE',
    '64MiB',
    'Total size of requests and responses of sandboxes that wait for their clients or because of a fault.',
  ),
  fault: {
    // A space after a semicolon belongs to a rule.
    read: (text) => text.split(/(?<!;) +/),
    value: 'RULE',
    list: true,
    help:
      'Fault rules of a demo, each written like the header field Fault, with the members of a rule. ' +
      "Examples: 'status;status=503;share=20;seed=7' 'delay;ms=500'.",
  },
} satisfies Options;

/** `sandboxTtl` is in milliseconds; `sandboxSize` and `sandboxMemory` are in bytes. */
export type SandboxConfig = Config<typeof sandboxOptions>;
