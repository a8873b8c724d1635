/** The rules for stored rows that `plantstore check` tests on both engines. */
import { countOf } from '../util/printable.ts';

/** The most rows that are reported for one rule. Damaged data can have millions. */
export const MAX_REPORTED = 20;

export interface Rule {
  /** Selects the rows that break the rule, each as a text that identifies it. */
  readonly query: string;
  readonly broken: string;
}

interface EngineRules {
  /** A condition that is true when the text of a column is not valid. */
  invalidText(column: string): string;
  readonly plants: readonly Rule[];
  /** Selects the cursor key if it is valid. */
  readonly cursorKey: string;
}

export function checkRules({ invalidText, plants, cursorKey }: EngineRules): readonly Rule[] {
  return [
    plantRule(invalidText('name'), 'its name is not valid'),
    plantRule(invalidText('tag'), 'its tag is not valid'),
    plantRule('version < 1', 'its version is not above 0'),
    ...plants,
    {
      query: "SELECT 'token ' || name FROM tokens WHERE length(hash) <> 43 OR scopes = '' OR store = ''",
      broken: 'it is not a valid token record',
    },
    { query: `SELECT 'the cursor key' WHERE NOT EXISTS (${cursorKey})`, broken: 'it is missing' },
  ];
}

export const COUNTS = 'SELECT (SELECT count(*) FROM plants), (SELECT count(*) FROM tokens)';

/** Describes the row that COUNTS selects. */
export function holdsOf([plants, tokens]: readonly unknown[]): string {
  return `${countOf(Number(plants), 'plant')}, ${countOf(Number(tokens), 'token')}`;
}

export function plantRule(condition: string, broken: string): Rule {
  return { query: `SELECT 'plant ' || id || ' of store ' || store FROM plants WHERE ${condition}`, broken };
}
