/** A tester of docs/grade-results.md, as its folder describes it, and its result. */
import type { GradeResult } from '../commands/grade-result.ts';

export interface Row {
  readonly tester: string;
  readonly version: string;
  /** The lines that a user would type after `plantstore grade --`, from the folder of a clone. */
  readonly command: readonly string[];
  /** Its configuration and the reason for it, in one or more sentences. */
  readonly about: string;
  /** The kind of report that judges it. Default: its exit code. */
  readonly findings?: string;
  /** A program that it needs, and whose version matters. */
  readonly needs?: string;
  /** Whether it sends random data, so that one run is not enough. */
  readonly random?: boolean;
  /** Whether it is a suite that was written for this API. It shows what can be found and ranks no tool. */
  readonly suite?: boolean;
  /** Whether CI runs it. */
  readonly short?: boolean;
}

export interface Tester extends Row {
  /** The name of its folder. */
  readonly name: string;
}

export interface Tested {
  readonly tester: Tester;
  /** The result, or the reason why there is none. */
  readonly result: GradeResult | string;
}
