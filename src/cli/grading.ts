/** Runs a grading for the command line: shows its progress, records every run, and prints the score. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { StartupError } from '../errors.ts';
import { CannotStart } from '../grade/command.ts';
import { belowFloor, type Graded, type Grading, grade, type Run, type Watcher } from '../grade/grade.ts';
import { scoreOf } from '../grade/score.ts';
import type { Subject } from '../grade/subject.ts';
import { alreadyThere, explainWriteErrors, writeNewFile } from '../new-file.ts';
import { version } from '../version.generated.ts';
import { type Stdio, UsageError } from './command-line.ts';
import { barOf, createStatusLine, print, widthOf } from './output.ts';
import { scoreText } from './score-text.ts';

/** Runs a grading on the service. `json` is the file for the record. Resolves to 0 if every defect was graded, and to 1 if the grading was stopped before. */
export async function runGrading(
  subject: Subject,
  grading: Grading,
  json: string | undefined,
  stdio: Stdio,
  stopped: Promise<void>,
): Promise<number> {
  requireCurrentFolder();
  const aborted = new AbortController();
  void stopped.then(() => aborted.abort());
  const record = openRecord(json, grading);
  // Otherwise `ps` would show the tester which defects --only names.
  process.title = 'plantstore grade';
  using stage = await subject.open();
  const watcher = watch(stdio, grading);
  const made = await explainWriteErrors(grading.output, () => mkdirSync(grading.output, { recursive: true }));
  const graded = await grade(grading, stage, watcher, aborted.signal).catch(async (error) => {
    watcher.clear();
    if (watcher.runs.length > 0) await record({ runs: watcher.runs, halt: 'stopped' });
    if (!(error instanceof CannotStart)) throw error;
    // The new folder contains only an empty file.
    if (made !== undefined) rmSync(made, { recursive: true });
    const why = error.message === 'ENOENT' ? 'no such program' : error.message;
    throw new UsageError(`the command cannot be started: ${why}`, { cause: error });
  });
  watcher.clear();
  await record(graded);
  return report(graded, grading, stdio);
}

function requireCurrentFolder(): void {
  try {
    process.cwd();
  } catch (cause) {
    throw new StartupError('the current folder was deleted; change to another folder', { cause });
  }
}

/** Shows one line per run, or at a terminal a bar and the time left. The tester may read it: it names no defect. */
function watch({ stderr }: Stdio, { verdict }: Grading): Watcher & { readonly runs: Run[]; clear(): void } {
  const line = createStatusLine(stderr);
  const runs: Run[] = [];
  const began = Date.now();
  return {
    runs,
    begins(_, done, all) {
      const left = done === 0 ? '' : `, about ${spell(((Date.now() - began) / done) * (all - done))} left`;
      line.show(`${barOf(done / all)}${done} of ${count(all, 'run')} done${left}`);
    },
    ended(run, done, all) {
      runs.push(run);
      if (!line.isTerminal) stderr.write(`${done} of ${all}: ${describe(run, verdict)}\n`);
      if (done > 1 || run.findings.length === 0 || verdict === 'exit-code') return;
      line.clear();
      const findings = count(run.findings.length, 'finding');
      stderr.write(
        `The tester already reports ${findings} on the clean service, which does not count; see ${run.output}\n`,
      );
    },
    clear: line.clear,
  };
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

const LIMITS = { timeout: 'stopped by the time-out', 'max-requests': 'stopped by --max-requests' } as const;

function describe(run: Run, verdict: Grading['verdict']): string {
  const { name, counts, stoppedBy, exitCode, signal, unread, testerMilliseconds } = run;
  const ended = exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`;
  const how = stoppedBy === undefined ? ended : LIMITS[stoppedBy];
  const report = unread === undefined ? count(run.findings.length, 'finding') : 'no report';
  const found = verdict === 'exit-code' ? [] : [report];
  return [name, count(counts.requests, 'request'), how, ...found, spell(testerMilliseconds)].join(', ');
}

function spell(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** Prints the score. Resolves to 0 if every defect was graded. Throws if there is no score. */
async function report({ runs, halt }: Graded, grading: Grading, { stdout }: Stdio): Promise<number> {
  const [first] = runs;
  const see = `its output is in ${first?.output}`;
  if (first === undefined) throw new StartupError('stopped before the end of the first run');
  if (halt === 'clean service fails') {
    const { stoppedBy, signal, exitCode } = first;
    const how =
      stoppedBy === undefined ? `ended with ${signal ?? `exit code ${exitCode}`}` : `was ${LIMITS[stoppedBy]}`;
    const where = 'it runs in an empty folder, so {cwd}/FILE is a file of your folder';
    throw new StartupError(
      `the tester fails on the clean service, so nothing can be graded: it ${how}; ${see}; ${where}`,
    );
  }
  if (halt === 'no report') {
    throw new StartupError(`the tester wrote no readable report to {report}: ${first.unread}; ${see}`);
  }
  const controls = runs.filter(({ defect }) => defect === undefined);
  const score = scoreOf(runs, grading.seeds);
  const alarms = `${count(score.falseAlarms.length, 'false alarm')} on ${count(controls.length, 'control')}`;
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
  return halt === undefined ? 0 : 1;
}

type Recorder = (graded: Graded) => Promise<void>;

/** The beginning of every record. Any other file is left alone. */
const RECORD = '{\n  "plantStore"';

/** Writes the record once, at the end: the tester could read it, and it contains the defects. */
function openRecord(path: string | undefined, { defects, ...grading }: Grading): Recorder {
  if (path === undefined) return async () => undefined;
  const startedAt = new Date();
  const there = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (there !== '' && !there.startsWith(RECORD)) throw alreadyThere(path);
  return async ({ runs, halt }) => {
    const score = scoreOf(runs, grading.seeds);
    const content = {
      plantStore: version,
      ...grading,
      startedAt,
      planted: defects.length,
      halt: halt ?? null,
      tiers: score.tiers,
      defects: score.defects.map(({ defect: { name, tier, ruleIn }, ...rest }) => ({ name, tier, ruleIn, ...rest })),
      falseAlarms: score.falseAlarms.map(({ name }) => name),
      groundless: score.groundless.map(({ name }) => name),
      runs: runs.map(({ defect, ...run }) => ({ ...run, defect: defect?.name ?? null })),
    };
    await writeNewFile(path, async (partial) => writeFileSync(partial, `${JSON.stringify(content, null, 2)}\n`), true);
  };
}
