/** What `plantstore check` demands of stored rows, whichever engine keeps them. */

/** Rows of one kind that are reported at most: damaged data can have millions. */
export const MOST_REPORTED = 20;

export interface Rule {
  /** Selects the rows that break the rule, each as a text to tell it by. */
  readonly query: string;
  readonly broken: string;
}

/** What differs between the engines, in their SQL. */
interface EngineRules {
  /** The condition under which the text of a column is not valid. */
  invalidText(column: string): string;
  /** More rules for plants. */
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
      broken: 'it is not a token as the service stores it',
    },
    missingRule('the cursor key', cursorKey),
  ];
}

/** How many plants and tokens there are, in all stores. */
export const COUNTS = 'SELECT (SELECT count(*) FROM plants), (SELECT count(*) FROM tokens)';

/** For people to read, of the row of COUNTS. */
export function holdsOf([plants, tokens]: readonly unknown[]): string {
  return `${counted(Number(plants), 'plant')}, ${counted(Number(tokens), 'token')}`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
}

export function plantRule(condition: string, broken: string): Rule {
  return { query: `SELECT 'plant ' || id || ' of store ' || store FROM plants WHERE ${condition}`, broken };
}

/** Broken when `query` selects nothing. */
export function missingRule(what: string, query: string): Rule {
  return { query: `SELECT '${what}' WHERE NOT EXISTS (${query})`, broken: 'it is missing' };
}
