/** Runs a grading of a client for the command line. */
import type { Stdio } from '../../src/cli/command-line.ts';
import { type ClientGrading, type ClientRun, gradeClient } from '../grade/client/client-run.ts';
import { CLIENT } from './candidates.ts';
import { describePrinted, runScenarioGrading, type Wishes } from './scenario-grading.ts';

export function runClientGrading(
  planned: Omit<ClientGrading, 'output'>,
  wishes: Wishes,
  outputs: Stdio,
  stopped: Promise<void>,
): Promise<number> {
  const work = {
    serve: [],
    grade: (output: string, url: string, aborted: AbortSignal, ended: (run: ClientRun) => void) =>
      gradeClient({ ...planned, output }, url, aborted, ended),
    explainSilence,
  };
  return runScenarioGrading(CLIENT, planned, work, wishes, outputs, stopped);
}

/** Why a client has no result that sent no request, in one line. */
function explainSilence(runs: readonly ClientRun[], output: string): string | undefined {
  const [first] = runs;
  const hasResult = runs.some(({ outcome, conduct }) => outcome !== 'void' || conduct.attempts > 0);
  if (first === undefined || hasResult) return undefined;
  const { scenario, problem, reason } = first;
  if (problem === undefined) return `${reason}; what the command printed is in ${output}`;
  const hint = 'it runs in an empty folder, so {cwd}/FILE is a file of your folder';
  const why = `the first scenario got no request, so no other was run: ${problem}`;
  return `${why}; ${describePrinted(output, scenario)}; ${hint}`;
}
