/** `plantstore grade compare` and `plantstore grade page`, which read results of testers or of clients. */
import { command, UsageError } from '../../src/cli/command-line.ts';
import { JSON_SWITCH } from '../../src/cli/options.ts';
import { print, widthOf } from '../../src/cli/output.ts';
import { UNMET } from './grade-options.ts';

export const gradeCompare = command({
  name: 'grade compare',
  operand: 'A.json B.json',
  operands: true,
  summary: 'Compares two results of grade --json, or of grade client --json',
  options: { json: JSON_SWITCH },
  async run({ json }, { stdout }, _, [a, b, ...more]) {
    if (a === undefined || b === undefined || more.length > 0) {
      throw new UsageError('the command takes two files; see plantstore grade compare --help');
    }
    const { isOfClient, mixed, readAnyResult } = await import('./results.ts');
    const [one, other] = [readAnyResult(a), readAnyResult(b)];
    const width = widthOf(stdout);
    if (isOfClient(one) && isOfClient(other)) {
      const { compareClients, describeClients } = await import('./client-compare.ts');
      const compared = compareClients(one, other);
      await print(stdout, describeClients(compared, one, other, json, width));
      return compared.worse.length > 0 ? UNMET : 0;
    }
    if (isOfClient(one) || isOfClient(other)) throw mixed();
    const { describeComparison } = await import('./grade-compare.ts');
    await print(stdout, describeComparison(one, other, json, width));
    return 0;
  },
});

export const gradePage = command({
  name: 'grade page',
  operand: 'FILE.json…',
  operands: true,
  summary:
    'Prints an HTML page without scripts or other files that shows results of testers, or of clients, side by side',
  options: {},
  async run(_, { stdout }, __, paths) {
    if (paths.length === 0)
      throw new UsageError('the command takes at least one file; see plantstore grade page --help');
    const { isOfClient, isOfTester, mixed, readAnyResult } = await import('./results.ts');
    const results = paths.map(readAnyResult);
    const clients = results.filter(isOfClient);
    const testers = results.filter(isOfTester);
    if (clients.length > 0 && testers.length > 0) throw mixed();
    const { pageOf } = await import('./grade-page.ts');
    const { clientPageOf } = await import('./client-page.ts');
    await print(stdout, clients.length > 0 ? clientPageOf(clients) : pageOf(testers));
    return 0;
  },
});
