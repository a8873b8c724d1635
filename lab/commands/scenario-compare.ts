/** Compares two results of clients or of receivers: of two of them, or of two versions of one. */
import { columns, jsonText, wrap } from '../../src/cli/output.ts';
import { StartupError } from '../../src/errors.ts';
import { countOf } from '../../src/util/printable.ts';
import { candidateOf } from './candidates.ts';
import { changesBetween, differencesOf, isWorse } from './scenario-demands.ts';
import { type ScenarioRecord, titleOf } from './scenario-record.ts';
import { sumOf } from './scenario-text.ts';

type Changes = ReturnType<typeof changesBetween>;

interface Compared {
  /** The scenarios with a worse outcome in the second result. */
  readonly worse: Changes;
  readonly better: Changes;
  /** The scenarios that only one of the results judges. The other outcome is void. */
  readonly void: Changes;
  /** The number of scenarios with the same outcome. */
  readonly same: number;
  /** Why the results are not fully comparable. */
  readonly notes: readonly string[];
}

/** Throws a StartupError if the results have no scenario in common. */
export function compareRecords(one: ScenarioRecord, other: ScenarioRecord): Compared {
  const names = new Set(one.outcomes.map(({ scenario }) => scenario));
  const common = other.outcomes.filter(({ scenario }) => names.has(scenario)).length;
  if (common === 0) throw new StartupError('nothing can be compared: the results have no scenario in common');
  const candidate = candidateOf(one);
  const changes = changesBetween(one.outcomes, other.outcomes);
  return {
    worse: changes.filter(({ before, after }) => isWorse(candidate, after, before)),
    better: changes.filter(({ before, after }) => isWorse(candidate, before, after)),
    void: changes.filter(({ before, after }) => before === 'void' || after === 'void'),
    same: common - changes.length,
    notes: differencesOf(one, other),
  };
}

/** The comparison as JSON, or as text of a width. */
export function describeRecords(
  compared: Compared,
  one: ScenarioRecord,
  other: ScenarioRecord,
  json: boolean,
  width: number,
): string {
  if (json) return `${jsonText(compared, 2)}\n`;
  const candidate = candidateOf(one);
  const list = (title: string, changes: Changes) => {
    const rows = changes.map(({ scenario, before, after }) => [scenario, before, after]);
    return changes.length === 0 ? [] : [`${title}:\n\n${columns([['SCENARIO', 'A', 'B'], ...rows])}`];
  };
  const sums = [one, other].map((record, i) => ['AB'[i] ?? '', sumOf(candidate, record.outcomes), titleOf(record)]);
  const parts = [
    columns([['', 'OUTCOMES', candidate.name.toUpperCase()], ...sums], width),
    ...list('Worse in B', compared.worse),
    ...list('Better in B', compared.better),
    ...list('Void in A or B, so neither better nor worse', compared.void),
    `The outcome is the same in ${countOf(compared.same, 'scenario')}.`,
    ...compared.notes.map((note) => wrap(note, width).join('\n')),
  ];
  return `${parts.join('\n\n')}\n`;
}
