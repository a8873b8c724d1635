/** `plantstore defects`: lists the defects that `plantstore serve --defect` can plant. */
import { command } from './command-line.ts';
import { JSON_SWITCH } from './options.ts';
import { columns, print, widthOf } from './output.ts';

export const defects = command({
  name: 'defects',
  summary: 'Lists the defects that can be planted for API testers to find',
  options: { json: JSON_SWITCH },
  async run({ json }, { stdout }) {
    const { DEFECTS } = await import('../defects/index.ts');
    // JSON.stringify leaves out the functions that plant the defects.
    const text = json
      ? JSON.stringify(DEFECTS, null, 2)
      : columns(
          DEFECTS.map(({ name, tier, does }) => [name, tier, does]),
          widthOf(stdout),
        );
    await print(stdout, `${text}\n`);
    return 0;
  },
});
