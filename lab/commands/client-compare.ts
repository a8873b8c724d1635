/** Compares two results of clients: of two clients, or of two versions of one. */

import { columns, jsonText, wrap } from '../../src/cli/output.ts';
import { StartupError } from '../../src/errors.ts';
import { countOf } from '../../src/util/printable.ts';
import { changesBetween, differencesOf, isWorse } from './client-demands.ts';
import { type ClientRecord, titleOfClient } from './client-record.ts';
import { sumOf } from './client-text.ts';

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
export function compareClients(one: ClientRecord, other: ClientRecord): Compared {
  const names = new Set(one.outcomes.map(({ scenario }) => scenario));
  const common = other.outcomes.filter(({ scenario }) => names.has(scenario)).length;
  if (common === 0) throw new StartupError('nothing can be compared: the results have no scenario in common');
  const changes = changesBetween(one.outcomes, other.outcomes);
  return {
    worse: changes.filter(({ before, after }) => isWorse(after, before)),
    better: changes.filter(({ before, after }) => isWorse(before, after)),
    void: changes.filter(({ before, after }) => before === 'void' || after === 'void'),
    same: common - changes.length,
    notes: differencesOf(one, other),
  };
}

/** The comparison as JSON, or as text of a width. */
export function describeClients(
  compared: Compared,
  one: ClientRecord,
  other: ClientRecord,
  json: boolean,
  width: number,
): string {
  if (json) return `${jsonText(compared, 2)}\n`;
  const list = (title: string, changes: Changes) => {
    const rows = changes.map(({ scenario, before, after }) => [scenario, before, after]);
    return changes.length === 0 ? [] : [`${title}:\n\n${columns([['SCENARIO', 'A', 'B'], ...rows])}`];
  };
  const clients = [one, other].map((record, i) => ['AB'[i] ?? '', sumOf(record.outcomes), titleOfClient(record)]);
  const parts = [
    columns([['', 'OUTCOMES', 'CLIENT'], ...clients], width),
    ...list('Worse in B', compared.worse),
    ...list('Better in B', compared.better),
    ...list('Void in A or B, so neither better nor worse', compared.void),
    `The outcome is the same in ${countOf(compared.same, 'scenario')}.`,
    ...compared.notes.map((note) => wrap(note, width).join('\n')),
  ];
  return `${parts.join('\n\n')}\n`;
}
