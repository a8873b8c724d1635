/** A finding of a tester, and whether it names a defect. */
import type { Truth } from './subject.ts';

export interface Finding {
  /**
   * What identifies the finding: the test or operation, and behind it the kind and the message, separated by ` | `. It
   * has no random data that `normalise` recognises, so that runs can be compared.
   */
  readonly text: string;
  /** The operationId that the finding is about. */
  readonly operation?: string | undefined;
  /** The code of its fault category in the catalogue of Web Fuzzing Commons. */
  readonly code?: number | undefined;
}

/** The only finding of a run that is judged by the exit code. */
export const FAILED: Finding = { text: 'the command failed' };

export const isFailure = ({ text }: Finding): boolean => text === FAILED.text;

/** The test or the operation that the finding is about, without its kind and message. */
export const testOf = ({ text }: Finding): string => text.split(' | ', 1)[0] ?? text;

/** Whether the finding is about the operation of the defect and, if it has a code, of the class of the defect. */
export function isNamedBy({ operation, code }: Finding, defect: Pick<Truth, 'operation' | 'wfc'>): boolean {
  if (operation === undefined && code === undefined) return false;
  if (defect.operation !== 'any' && defect.operation !== operation) return false;
  return code === undefined || defect.wfc.includes(code);
}
