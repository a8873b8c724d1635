/** The outcomes of a client's scenarios as words of an option. This file loads nothing of the grader. */
import type { OptionReader } from '../../src/cli/command-line.ts';
import type { RecordedRun } from './client-record.ts';

type Wrong = Exclude<RecordedRun['outcome'], 'right'>;

/** Its type makes the list complete. */
const WORDS: Readonly<Record<Wrong, string>> = {
  unknown: 'unknown',
  disputed: 'disputed',
  'wrong data': 'wrong-data',
  ghost: 'ghost',
  lost: 'lost',
  overwritten: 'overwritten',
  void: 'void',
};

/** Reads outcomes such as `ghost,wrong-data`. */
export const outcomesOf: OptionReader<readonly Wrong[]> = (text) =>
  text.split(/[\s,]+/).map((word) => {
    const found = (Object.keys(WORDS) as Wrong[]).find((one) => WORDS[one] === word);
    if (found !== undefined) return found;
    throw new Error(`it must be some of ${Object.values(WORDS).join(', ')}`);
  });
