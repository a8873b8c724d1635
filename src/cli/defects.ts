/** `plantstore defects`: lists the defects that `plantstore serve --defect` can plant. */
import { command } from './command-line.ts';
import { JSON_SWITCH, MYSTERY, VARIANTS } from './options.ts';
import { columns, print, widthOf } from './output.ts';

export const defects = command({
  name: 'defects',
  summary: 'Lists the defects that can be planted for API testers to find',
  options: {
    json: JSON_SWITCH,
    variants: { ...VARIANTS, help: 'Shows the variants that serve --defect NAME --variants SEED plants.' },
    mystery: {
      ...MYSTERY,
      excludes: ['variants'],
      help: 'Reveals only the defect that serve --mystery NUMBER plants.',
    },
  },
  async run({ json, variants, mystery }, { stdout }) {
    const { defectOf, defectsOf } = await import('../defects/index.ts');
    const shown = mystery === undefined ? defectsOf(variants) : [defectOf(mystery)];
    // JSON.stringify leaves out the functions that plant the defects.
    const text = json
      ? JSON.stringify(shown, null, 2)
      : columns(
          shown.map(({ name, tier, does }) => [name, tier, does]),
          widthOf(stdout),
        );
    await print(stdout, `${text}\n`);
    return 0;
  },
});
