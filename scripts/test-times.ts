/** The table of `npm test -- --times`: scripts/test-group.ts appends a line for each test file. */

/** The variable with the path of the file to append to. */
export const TIMES_VARIABLE = 'TEST_TIMES';

/** Returns a table of the files, those with the most CPU first, and their sum. */
export function tableOf(kept: string): string {
  const rows = kept
    .trim()
    .split('\n')
    .sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a));
  const sum = rows.reduce((all, row) => all + Number.parseFloat(row), 0);
  return `Seconds of CPU and of time of each test file:\n${rows.join('\n')}\n${sum.toFixed(2)} of CPU in all\n`;
}
