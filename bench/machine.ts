/** Owns the description of what was measured where: machine, disk, versions, commit. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { median } from './statistics.ts';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  /** GB. */
  readonly memory: number;
  readonly kernel: string;
  /** What it takes to append 4 KiB and have them on the disk, in milliseconds: the median of many. */
  readonly sync: number;
}

const SYNCS = 500;

export function describeMachine(directory: string): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory: Math.round(totalmem() / 1e9),
    kernel: `${type()} ${release()}`,
    sync: measureSync(join(directory, 'sync')),
  };
}

export function describeVersions(): Readonly<Record<string, string>> {
  const {
    dependencies,
    optionalDependencies,
  }: Record<string, Record<string, string>> = JSON.parse(
    readFileSync(new URL('./package.json', import.meta.url), 'utf8'),
  );
  return {
    Node: process.versions.node,
    'SQLite in Node': process.versions['sqlite'] ?? 'none',
    wrk: said('wrk', /wrk (\S+)/),
    nginx: said('nginx', /nginx\/(\S+)/),
    Bun: Object.values(optionalDependencies ?? {})[0] ?? 'none',
    ...dependencies,
  };
}

/** The commit that is measured, and whether the files differ from it. */
export function describeCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--', '../src', '../package.json', '.') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ', with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}

function said(program: string, version: RegExp): string {
  // Debian keeps nginx where only root looks.
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
  const { stdout, stderr } = spawnSync(program, ['-v'], { encoding: 'utf8', env });
  return version.exec(`${stdout}${stderr}`)?.[1] ?? 'not installed';
}

function measureSync(path: string): number {
  const file = openSync(path, 'w');
  const block = new Uint8Array(4_096);
  const times = Array.from({ length: SYNCS }, () => {
    writeSync(file, block);
    const began = performance.now();
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(path);
  return median(times) ?? Number.NaN;
}
