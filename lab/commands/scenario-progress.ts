/** Shows which scenarios have ended: in one line of a terminal, or else in a line for each. */
import type { Stdio } from '../../src/cli/command-line.ts';
import { barOf, createStatusLine, tell } from '../../src/cli/output.ts';

interface Ended {
  readonly scenario: { readonly name: string };
  readonly outcome: string;
}

/** `all`: the number of scenarios. `clear` must be called at the end. */
export function showScenarios(stdio: Pick<Stdio, 'stderr' | 'env'>, all: number) {
  const line = createStatusLine(stdio);
  let done = 0;
  return {
    ended({ scenario, outcome }: Ended): void {
      done += 1;
      const how = `${done} of ${all}: ${scenario.name}, ${outcome}`;
      if (line.isTerminal) line.show(`${barOf(done / all)}${how}`);
      else tell(stdio.stderr, how);
    },
    clear: () => line.clear(),
  };
}
