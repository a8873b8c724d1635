/** `plantstore grade`: says which planted defects an API tester finds. */
import type { Defect } from '../defects/index.ts';
import { nearest } from '../nearest.ts';
import { type Config, command, UsageError } from './command-line.ts';
import { gradeOptions } from './options.ts';

type Options = Config<typeof gradeOptions>;

export const grade = command({
  name: 'grade',
  operand: '-- COMMAND…',
  operands: true,
  summary: 'Says which planted defects an API tester finds: runs it on the clean service and on each defect',
  options: gradeOptions,
  async run(options, stdio, _, words) {
    if (words.length === 0) throw new UsageError('the command of a tester is missing; see plantstore grade --help');
    const stopped = stdio.stopped();
    // Loaded only here: the other commands do without.
    const { DEFECTS } = await import('../defects/index.ts');
    const defects = chosen(DEFECTS, options);
    const { runGrading } = await import('./grading.ts');
    const folder = `plantstore-grade-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`;
    const { controls, seeds, timeout, findings: verdict, output = folder } = options;
    const grading = { command: words, defects, controls, seeds, timeout, verdict, output };
    return runGrading(grading, options, stdio, stopped);
  },
});

/** In the order of the table. */
function chosen(defects: readonly Defect[], { only, tier }: Options): readonly Defect[] {
  const names = defects.map(({ name }) => name);
  const tiers = [...new Set(defects.map(({ tier }) => tier))];
  refuseUnknown('--only', 'defect', only, names);
  refuseUnknown('--tier', 'tier', tier, tiers);
  const found = defects.filter((defect) => {
    return (only?.includes(defect.name) ?? true) && (tier?.includes(defect.tier) ?? true);
  });
  if (found.length === 0) throw new UsageError('--only and --tier leave no defect: none of these is of such a tier');
  return found;
}

function refuseUnknown(flag: string, what: string, given: readonly string[] = [], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const list = what === 'tier' ? `they are ${known.join(', ')}` : 'plantstore defects lists them';
  throw new UsageError(`${flag}: no such ${what}${meant === undefined ? '' : ` (did you mean ${meant}?)`}; ${list}`);
}
