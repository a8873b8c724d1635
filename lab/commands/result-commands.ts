/** `plantstore grade compare` and `plantstore grade page`, which read results of testers, clients or receivers. */
import { command, UsageError } from '../../src/cli/command-line.ts';
import { JSON_SWITCH } from '../../src/cli/options.ts';
import { print, widthOf } from '../../src/cli/output.ts';
import { UNMET } from './grade-options.ts';

export const gradeCompare = command({
  name: 'grade compare',
  operand: 'A.json B.json',
  operands: true,
  summary: 'Compares two results that grade, grade client or grade receiver wrote with --json',
  options: { json: JSON_SWITCH },
  async run({ json }, { stdout }, _, paths) {
    if (paths.length !== 2) throw new UsageError('the command takes two files; see plantstore grade compare --help');
    const { readResults } = await import('./results.ts');
    const results = readResults(paths);
    const width = widthOf(stdout);
    if ('records' in results) {
      const { compareRecords, describeRecords } = await import('./scenario-compare.ts');
      const [one, other] = pairOf(results.records);
      const compared = compareRecords(one, other);
      await print(stdout, describeRecords(compared, one, other, json, width));
      return compared.worse.length > 0 ? UNMET : 0;
    }
    const { describeComparison } = await import('./grade-compare.ts');
    await print(stdout, describeComparison(...pairOf(results.testers), json, width));
    return 0;
  },
});

function pairOf<T>([one, other]: readonly T[]): readonly [T, T] {
  if (one === undefined || other === undefined) throw new Error('there are no two results');
  return [one, other];
}

export const gradePage = command({
  name: 'grade page',
  operand: 'FILE.json…',
  operands: true,
  summary: 'Prints results of testers, clients or receivers as one HTML page, side by side',
  options: {},
  async run(_, { stdout }, __, paths) {
    if (paths.length === 0)
      throw new UsageError('the command takes at least one file; see plantstore grade page --help');
    const { readResults } = await import('./results.ts');
    const results = readResults(paths);
    const { pageOf } = await import('./grade-page.ts');
    const { scenarioPage } = await import('./scenario-page.ts');
    await print(stdout, 'records' in results ? scenarioPage(results.records, paths) : pageOf(results.testers, paths));
    return 0;
  },
});
