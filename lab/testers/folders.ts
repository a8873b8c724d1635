/** What the graders of testers and of clients share: folders with `row.json` and `run`, and versions of programs. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choose } from '../../scripts/command-line.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Kept between runs, so that nothing is installed twice. */
export const CACHE = join(tmpdir(), 'plant-store-tools-cache', 'grade');

export type Named<Row> = Row & {
  /** The name of its folder. */
  readonly name: string;
};

/** The rows of all folders in lab/`kind`, in the order of their names. */
export function readRows<Row extends object>(kind: string): readonly Named<Row>[] {
  return globSync(join(ROOT, 'lab', kind, '*/row.json'))
    .sort()
    .map((path) => ({ ...(JSON.parse(readFileSync(path, 'utf8')) as Row), name: basename(dirname(path)) }));
}

/** The rows with these names. Without names: those that CI runs if `short`, otherwise all. */
export function chooseRows<Row extends { readonly name: string; readonly short?: boolean }>(
  rows: readonly Row[],
  names: readonly string[],
  short: boolean,
): readonly Row[] {
  return short && names.length === 0 ? rows.filter((row) => row.short) : choose(rows, names);
}

/** Runs `SCRIPT install` in ROOT. Returns why it failed. */
export function install(script: string, env: NodeJS.ProcessEnv): string | undefined {
  const { status, signal, error } = spawnSync(script, ['install'], { cwd: ROOT, env, stdio: 'inherit' });
  if (status === 0) return undefined;
  if (error === undefined) return `${script} install ended with ${signal ?? `exit code ${status}`}`;
  const isDenied = 'code' in error && error.code === 'EACCES';
  return isDenied ? `${script} is not executable` : `${script} cannot be started: ${error.message}`;
}

/** The name and version that a program prints; undefined if the program is missing. */
export function versionOf(program: string): string | undefined {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  // Node prints only a version.
  return /^\D*[\d.]+/.exec(stdout)?.[0].replace(/^v/, `${program} `);
}
