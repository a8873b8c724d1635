/** The options of `plantstore serve` that plant a defect. */
import type { Options } from '../../src/cli/command-line.ts';
import { integer } from '../../src/cli/values.ts';

/** The number of a secret defect. */
export const MYSTERY = { read: integer(0, 1_000_000), value: 'NUMBER' };

/** The seed of the variants of defects. */
export const VARIANTS = { read: integer(0, 999_999_999_999_999), value: 'SEED' };

export const defectOptions = {
  defect: {
    read: defectName,
    value: 'NAME',
    help:
      'Plants a defect, for API testers to find. plantstore defects lists the names. ' +
      'none: the service is correct, but counts requests for the grader.',
  },
  variants: {
    ...VARIANTS,
    help:
      'Plants a variant of the defect, such as the same mistake in another operation. The seed chooses the variant. ' +
      'plantstore defects --variants SEED lists the variants.',
  },
  mystery: {
    ...MYSTERY,
    help:
      'Plants a secret defect, for a bug hunt. The number chooses the defect. ' +
      'plantstore defects --mystery NUMBER reveals it.',
  },
} satisfies Options;

function defectName(text: string): string {
  if (/^[a-z\d-]{1,64}$/.test(text)) return text;
  throw new Error('it must be a name that plantstore defects lists');
}
