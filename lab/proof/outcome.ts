/** What a check prints, and what all checks share. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createRandom } from '../../src/util/random.ts';

/** The result of one run of a check. The check prints it as one line of JSON. */
export interface Outcome {
  /** What was counted, by its name in the plural, for example `{ "operations": 5000 }`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly seed: number;
  /** The versions of the tools that took part, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** How often the claim was broken. */
  readonly violations: number;
  /** The first violation, or null. */
  readonly first: string | null;
}

/** What a check is asked to do. */
export interface Attempt {
  /** Whether to finish in seconds, for CI. */
  readonly short: boolean;
  readonly seed: number;
  /** The control that breaks the claim on purpose. Undefined: the service as it is. */
  readonly control: string | undefined;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). The seed determines all of them. */
  readonly random: () => number;
}

/** Collects violations. */
export interface Violations {
  add(violation: string): void;
  /** Returns the members `violations` and `first` of an outcome. */
  result(): Pick<Outcome, 'violations' | 'first'>;
}

export function createViolations(): Violations {
  let violations = 0;
  let first: string | null = null;
  return {
    add(violation) {
      violations++;
      first ??= violation;
    },
    result: () => ({ violations, first }),
  };
}

/** Prints progress on standard error, since standard output has only the outcome. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * Reads the command line `[--short] [--seed N] [--control NAME]`, runs the check and prints its outcome. Ends the
 * process with 0 if the result is as it should be: no violation, or at least one with a control. Ends it with 1
 * otherwise, and with 2 if the check could not run.
 */
export async function runCheck(attack: (attempt: Attempt) => Promise<Omit<Outcome, 'seed'>>): Promise<never> {
  try {
    const { values } = parseArgs({
      options: { short: { type: 'boolean', default: false }, seed: { type: 'string' }, control: { type: 'string' } },
    });
    const seed = Number(values.seed ?? randomInt(2 ** 31));
    if (!Number.isInteger(seed)) throw new Error(`--seed must be an integer, not ${values.seed}`);
    const { control, short } = values;
    const outcome: Outcome = { ...(await attack({ short, seed, control, random: createRandom(seed) })), seed };
    await new Promise((resolve) => process.stdout.write(`${JSON.stringify(outcome)}\n`, resolve));
    process.exit(outcome.violations > 0 === (control !== undefined) ? 0 : 1);
  } catch (error) {
    process.stderr.write(`${Error.isError(error) ? error.stack : error}\n`);
    process.exit(2);
  }
}
