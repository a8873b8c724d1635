/** Runs a grading for the command line: shows its progress, records every run, and prints the score. */

import type { Stdio } from '../../src/cli/command-line.ts';
import { barOf, createStatusLine, print, tell, widthOf, wrap } from '../../src/cli/output.ts';
import { besideOutputs } from '../../src/cli/output-file.ts';
import { StartupError } from '../../src/errors.ts';
import { openTemporaryFolder } from '../../src/stores/sqlite/temporary.ts';
import { countOf } from '../../src/util/printable.ts';
import {
  belowFloor,
  type Graded,
  type Grading,
  grade,
  type Run,
  removeRuns,
  type Watcher,
} from '../grade/grade-tester.ts';
import { scoreOf } from '../grade/score.ts';
import type { Subject } from '../grade/subject.ts';
import { notesOnBaseline } from './grade-compare.ts';
import { type Demands, shortfalls } from './grade-demands.ts';
import { openOutputFolder } from './grade-folder.ts';
import { UNMET } from './grade-options.ts';
import { pageOf } from './grade-page.ts';
import { type GradeResult, requireResultFile, resultOf, type Tester, writeResult } from './grade-result.ts';
import { runsOf } from './grade-resume.ts';
import { PAGE_BEGINNING } from './matrix-page.ts';
import { requireOutput, writeOutput } from './result-file.ts';
import { scoreText } from './score-text.ts';

/** Where the result goes, and what the user demands of it. */
export interface Wishes {
  readonly tester: Tester;
  readonly demands: Demands;
  /** The folder for outputs, reports and the working folders of the runs. Default: a new one. */
  readonly output: string | undefined;
  readonly json: string | undefined;
  readonly html: string | undefined;
  /** Whether the file `json` is written after each run. A tester can read it then. */
  readonly resume: boolean;
  /** The result that the grading continues. */
  readonly earlier: GradeResult | undefined;
}

/** Runs a grading. Resolves to 0 if every defect was graded, to 1 if the grading was stopped before, or to UNMET. */
export async function runGrading(
  subject: Subject,
  planned: Omit<Grading, 'output'>,
  { tester, demands, output, json, html, resume, earlier }: Wishes,
  outputs: Stdio,
  stopped: Promise<void>,
): Promise<number> {
  const stdio = besideOutputs(outputs, json, html);
  const aborted = new AbortController();
  void stopped.then(() => aborted.abort());
  const startedAt = earlier?.startedAt ?? new Date().toISOString();
  if (json !== undefined) await requireResultFile(json);
  if (html !== undefined) await requireOutput(html, PAGE_BEGINNING);
  // Otherwise `ps` would show the tester which defects --only names.
  process.title = 'plantstore grade';
  using temporary = openTemporaryFolder();
  const stage = await subject.open(temporary.path);
  const { sha256 } = stage.vocabulary;
  const runs = earlier === undefined ? [] : [...runsOf(earlier, planned, sha256)];
  const done = [...runs];
  using folder = await openOutputFolder('grade', output);
  const grading = { ...planned, output: folder.path };
  const record = async (result: GradeResult) => json !== undefined && (await writeResult(outputs, json, result));
  const recordSoFar = () => record(resultOf(grading, tester, { runs, halt: 'stopped' }, startedAt, sha256));
  const watcher = watch(stdio, grading, done.length, async (run) => {
    runs.push(run);
    if (resume) await recordSoFar();
  });
  if (earlier === undefined) await removeRuns(grading.output);
  const graded = await grade(grading, stage, watcher, aborted.signal, done).catch(async (error) => {
    watcher.clear();
    if (runs.length > 0) await recordSoFar();
    return folder.fail(error, runs.length > 0);
  });
  watcher.clear();
  const [first] = graded.runs;
  // An earlier file of --json or --html has more than a result without a run.
  if (first === undefined) throw new StartupError('stopped before the end of the first run');
  const result = resultOf(grading, tester, graded, startedAt, sha256);
  try {
    const code = await report(graded, first, grading, stdio);
    const unmet = shortfalls(result, demands);
    const isCut = graded.halt === 'stopped' && json !== undefined;
    const lines = [
      ...(isCut ? ['The same command with --resume does the missing runs.'] : []),
      ...notesOnBaseline(result, demands).map((note) => `Baseline: ${note}`),
      ...unmet,
    ];
    const width = widthOf(stdio.stdout);
    await print(stdio.stdout, lines.map((line) => `\n${wrap(line, width).join('\n')}\n`).join(''));
    return code === 0 && unmet.length > 0 ? UNMET : code;
  } finally {
    // After the score, which then is not lost if a file cannot be written.
    await record(result);
    if (html !== undefined) await writeOutput(outputs, html, pageOf([result]));
  }
}

/**
 * Shows one line per run, or at a terminal a bar and the time left. The tester may read it: it names no defect.
 * `before` runs were done by an earlier grading. `keep` gets each run when it has ended.
 */
function watch(
  { stderr, env }: Stdio,
  { verdict }: Grading,
  before: number,
  keep: (run: Run) => Promise<void>,
): Watcher & { clear(): void } {
  const line = createStatusLine({ stderr, env });
  const began = Date.now();
  return {
    begins(_, done, all) {
      const each = (Date.now() - began) / (done - before);
      const left = done === before ? '' : `, about ${spell(each * (all - done))} left`;
      line.show(`${barOf(done / all)}${done} of ${countOf(all, 'run')} done${left}`);
    },
    async ended(run, done, all) {
      await keep(run);
      if (!line.isTerminal) tell(stderr, `${done} of ${all}: ${describe(run, verdict)}`);
      if (done > 1 || run.findings.length === 0 || verdict === 'exit-code') return;
      line.clear();
      const findings = countOf(run.findings.length, 'finding');
      const where = `${run.output} and the report beside it`;
      tell(stderr, `The tester already reports ${findings} on the clean service, which does not count; see ${where}`);
    },
    clear: line.clear,
  };
}

const LIMITS = { timeout: 'stopped by the time-out', 'max-requests': 'stopped by --max-requests' } as const;

function describe(run: Run, verdict: Grading['verdict']): string {
  const { name, counts, stoppedBy, exitCode, signal, unread, testerMilliseconds } = run;
  const ended = exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`;
  const how = stoppedBy === undefined ? ended : LIMITS[stoppedBy];
  const report = unread === undefined ? countOf(run.findings.length, 'finding') : 'no report';
  const found = verdict === 'exit-code' ? [] : [report];
  return [name, countOf(counts.requests, 'request'), how, ...found, spell(testerMilliseconds)].join(', ');
}

function spell(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** Prints the score. Resolves to 0 if every defect was graded. Throws if there is no score. */
async function report({ runs, halt }: Graded, first: Run, grading: Grading, { stdout }: Stdio): Promise<number> {
  const see = `its output is in ${first.output}`;
  if (halt === 'clean service fails') {
    const { stoppedBy, signal, exitCode } = first;
    const how =
      stoppedBy === undefined ? `ended with ${signal ?? `exit code ${exitCode}`}` : `was ${LIMITS[stoppedBy]}`;
    const where = 'it runs in an empty folder, so {cwd}/FILE is a file of your folder';
    throw new StartupError(`no score: the tester fails on the clean service: it ${how}; ${see}; ${where}`);
  }
  if (halt === 'no report') {
    throw new StartupError(`the tester wrote no readable report to {report}: ${first.unread}; ${see}`);
  }
  const controls = runs.filter(({ defect }) => defect === undefined);
  const score = scoreOf(runs, grading.seeds);
  const alarms = `${countOf(score.falseAlarms.length, 'false alarm')} on ${countOf(controls.length, 'control')}`;
  const { service } = grading;
  const below =
    belowFloor(
      controls.map(({ counts }) => counts),
      service,
    ) ?? belowFloor([first.counts], service);
  if (below !== undefined) {
    throw new StartupError(`no score: on the clean service the tester ${below}; 0 found, ${alarms}; ${see}`);
  }
  await print(stdout, scoreText(score, runs, grading, halt === 'stopped', widthOf(stdout)));
  const isWhole = halt === undefined && score.defects.every(({ outcome }) => outcome !== 'not judged');
  return isWhole ? 0 : 1;
}
