/** `plantstore defects`: lists the defects that `plantstore serve --defect` can plant. */
import { command, UsageError } from '../../src/cli/command-line.ts';
import { JSON_SWITCH, SWITCH } from '../../src/cli/options.ts';
import { columns, jsonText, print, widthOf } from '../../src/cli/output.ts';
import { MYSTERY, VARIANTS } from '../defects/options.ts';

export const defects = command({
  name: 'defects',
  summary: 'Lists the defects that can be planted for API testers to find',
  options: {
    json: JSON_SWITCH,
    sandboxes: {
      ...SWITCH,
      excludes: ['variants', 'mystery'],
      help: "Lists the defects of the sandboxes' API. Plant one with serve --sandboxes N --defect NAME.",
    },
    events: {
      ...SWITCH,
      excludes: ['sandboxes', 'mystery'],
      help: 'Lists the defects of the feed of events. Plant one with serve --events --defect NAME.',
    },
    variants: {
      ...VARIANTS,
      help: 'Lists the variants of this seed. Plant one with serve --defect NAME --variants SEED.',
    },
    mystery: {
      ...MYSTERY,
      help: 'Lists only the defect that serve --mystery NUMBER plants.',
    },
  },
  async run({ json, sandboxes, events, variants, mystery }, { stdout }) {
    if (mystery !== undefined && variants !== undefined) {
      throw new UsageError('--variants cannot be given with --mystery');
    }
    const { defectOf, defectsOf } = await import('../defects/index.ts');
    const api = sandboxes ? 'sandboxes' : events ? 'events' : 'plants';
    const shown = mystery === undefined ? defectsOf(api, variants) : [defectOf(mystery)];
    // jsonText leaves out the functions that plant the defects.
    const text = json
      ? jsonText(shown, 2)
      : columns(
          shown.map(({ name, tier, does }) => [name, tier, does]),
          widthOf(stdout),
        );
    await print(stdout, `${text}\n`);
    return 0;
  },
});
