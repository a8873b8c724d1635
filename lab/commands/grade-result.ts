/** The result of a grading as a JSON file. grade-result.schema.json describes the format. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { isSea } from 'node:sea';
import type { Stdio } from '../../src/cli/command-line.ts';
import { StartupError } from '../../src/errors.ts';
import { version } from '../../src/util/version.generated.ts';
import type { Graded, Grading, Run } from '../grade/grade-tester.ts';
import { type DefectScore, type Score, scoreOf } from '../grade/score.ts';
import { validate } from './grade-result.generated.ts';
import { recordText } from './record-text.ts';
import { readResultText, requireOutput, writeOutput } from './result-file.ts';

/** The version of the format. A new major version may remove or change members; any other only adds members. */
const FORMAT = '1.0.0';
/** The beginning of every result. Any other file is left alone. */
const BEGINNING = '{\n  "plantStoreGrading": "';

export interface Tester {
  readonly name: string;
  /** As the user gave it. */
  readonly version: string | null;
}

type Named<T> = Omit<T, 'defect'> & { readonly defect: string | null };

export interface GradeResult {
  readonly plantStoreGrading: string;
  readonly environment: Environment;
  readonly service: Service;
  readonly tester: Tester & { readonly command: readonly string[]; readonly findings: Grading['verdict'] };
  /** Times are in milliseconds, sizes in bytes. */
  readonly options: Omit<Grading, 'command' | 'defects' | 'service' | 'verdict'>;
  readonly startedAt: string;
  readonly endedAt: string;
  /** Why not all defects were graded. */
  readonly halt: Graded['halt'] | null;
  readonly planted: number;
  readonly tiers: Score['tiers'];
  readonly defects: readonly (Omit<DefectScore, 'defect'> &
    Pick<DefectScore['defect'], 'name' | 'tier' | 'ruleIn' | 'operation' | 'does'>)[];
  /** The names of controls with a finding. */
  readonly falseAlarms: readonly string[];
  /** The names of runs with a new finding that did not trigger their defect. */
  readonly groundless: readonly string[];
  /** The names of runs with less than half of the requests of every control. */
  readonly short: readonly string[];
  /** Each operation with each status that a control reached, such as `getPlant 404`. */
  readonly reached: Score['reached'];
  readonly runs: readonly Named<Run>[];
}

/** The graded service: Plant Store, or the service of a manifest. */
interface Service {
  readonly name: string;
  readonly version: string;
  /** The SHA-256 of the served description. */
  readonly description: string;
}

interface Environment {
  readonly plantStore: string;
  /** The commit of the working copy. Null outside of a clone. */
  readonly commit: string | null;
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
}

/** Rejects with a StartupError if the file cannot be written, or is no result. */
export const requireResultFile = (path: string): Promise<void> => requireOutput(path, BEGINNING);

export function writeResult(stdio: Stdio, path: string, result: GradeResult): Promise<void> {
  return writeOutput(stdio, path, recordText(result));
}

/** The result of a grading. `description` is the SHA-256 of the description. */
export function resultOf(
  grading: Grading,
  tester: Tester,
  { runs, halt }: Graded,
  startedAt: string,
  description: string,
): GradeResult {
  const { command, defects, service, verdict, ...options } = grading;
  const score = scoreOf(runs, grading.seeds);
  const namesOf = (chosen: readonly Run[]) => chosen.map(({ name }) => name);
  return {
    plantStoreGrading: FORMAT,
    environment: environment(),
    service: { name: service.name, version: service.version, description },
    tester: { ...tester, command, findings: verdict },
    options,
    startedAt,
    endedAt: new Date().toISOString(),
    halt: halt ?? null,
    planted: defects.length,
    tiers: score.tiers,
    defects: score.defects.map(({ defect: { name, tier, ruleIn, operation, does }, ...rest }) => {
      return { name, tier, ruleIn, operation, does, ...rest };
    }),
    falseAlarms: namesOf(score.falseAlarms),
    groundless: namesOf(score.groundless),
    short: namesOf(score.short),
    reached: score.reached,
    runs: runs.map(({ defect, ...run }) => ({ ...run, defect: defect?.name ?? null })),
  };
}

function environment(): Environment {
  return {
    plantStore: version,
    commit: commit(),
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cpu: cpus()[0]?.model.trim() ?? '',
    cores: cpus().length,
    memory: totalmem(),
  };
}

function commit(): string | null {
  if (isSea()) return null;
  const root = new URL('../..', import.meta.url);
  // An installed package may lie in the working copy of another project.
  if (!existsSync(new URL('.git', root))) return null;
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** The name of the tester, with its version if it is known. */
export function titleOf({ tester: { name, version } }: Pick<GradeResult, 'tester'>): string {
  return version === null ? name : `${name} ${version}`;
}

/** Throws a StartupError if the file is not a result in a format that can be read. */
export const readResult = (path: string): GradeResult => parseResult(path, readResultText(path));

/** The result in the text of a file. Throws a StartupError if it is not a result in a format that can be read. */
export function parseResult(path: string, text: string): GradeResult {
  const refuse = (why: string) => new StartupError(`${path} is not a result of plantstore grade --json${why}`);
  let result: unknown;
  try {
    result = JSON.parse(text);
  } catch {
    throw refuse(text.startsWith(BEGINNING) ? ': it is cut off' : '');
  }
  if (!isMarked(result)) throw refuse('');
  if (!isReadable(result)) throw refuse(` in a format that this version reads, which is ${FORMAT}`);
  const check: Check = validate;
  if (check(result)) return result as GradeResult;
  const [{ instancePath = '', message = '' } = {}] = check.errors ?? [];
  throw refuse(`: ${[...instancePath.split('/').slice(1), message].join(' ')}`);
}

/** The generated function, whose file has no types. */
interface Check {
  (value: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

/** Other programs may have written the file again, so only its members count. */
function isMarked(value: unknown): value is { readonly plantStoreGrading: unknown } {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'plantStoreGrading');
}

/** Only the major version of the format matters. */
function isReadable({ plantStoreGrading }: { readonly plantStoreGrading: unknown }): boolean {
  return String(plantStoreGrading).split('.')[0] === FORMAT.split('.')[0];
}
