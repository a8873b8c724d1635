/** `plantstore grade compare` and `plantstore grade page`, which read the results of `plantstore grade --json`. */
import { command, UsageError } from '../../src/cli/command-line.ts';
import { JSON_SWITCH } from '../../src/cli/options.ts';
import { print, widthOf } from '../../src/cli/output.ts';

export const gradeCompare = command({
  name: 'grade compare',
  operand: 'A.json B.json',
  operands: true,
  summary: 'Compares two results of grade --json, and tells whether the difference may be luck',
  options: { json: JSON_SWITCH },
  async run({ json }, { stdout }, _, [a, b, ...more]) {
    if (a === undefined || b === undefined || more.length > 0) {
      throw new UsageError('the command takes two files; see plantstore grade compare --help');
    }
    const { describeComparison } = await import('./grade-compare.ts');
    await print(stdout, describeComparison(a, b, json, widthOf(stdout)));
    return 0;
  },
});

export const gradePage = command({
  name: 'grade page',
  operand: 'FILE.json…',
  operands: true,
  summary: 'Prints an HTML page without scripts or other files that shows results of grade --json side by side',
  options: {},
  async run(_, { stdout }, __, paths) {
    if (paths.length === 0)
      throw new UsageError('the command takes at least one file; see plantstore grade page --help');
    const { pageOf } = await import('./grade-page.ts');
    const { readResult } = await import('./grade-result.ts');
    await print(stdout, pageOf(paths.map(readResult)));
    return 0;
  },
});
