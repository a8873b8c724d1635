/** The checks in the folders of lab/proof/, and the record of their runs in docs/proof.json. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './outcome.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RECORD = join(ROOT, 'docs/proof.json');

/** The file lab/proof/NAME/proof.json, which describes a check. docs/proof.json is another file: the record. */
export interface Card {
  /** What the service promises. */
  readonly claim: string;
  /** How the check tries to break the promise. */
  readonly attack: string;
  /** What each control breaks on purpose, by its name. The check must notice each of them. */
  readonly controls?: Readonly<Record<string, string>>;
  /** Why the check has no control. */
  readonly exempt?: string;
  /** Debian packages that the check needs. */
  readonly needs?: readonly string[];
}

export interface Check extends Card {
  readonly name: string;
  /** The program, relative to the root of the repository. */
  readonly program: string;
}

/** The record of a check: its run on the service, and its runs with each control. */
export interface Run {
  readonly date: string;
  readonly commit: string;
  readonly seconds: number;
  /** Null if the check could not run. */
  readonly outcome: Outcome | null;
  /** The violations that the check found with each control. Null if it could not run. */
  readonly controls: Readonly<Record<string, number | null>>;
}

export type Runs = Readonly<Record<string, Run>>;

export function findChecks(): readonly Check[] {
  return globSync('lab/proof/*/proof.json', { cwd: ROOT })
    .sort()
    .map((file) => {
      const card = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Card;
      const name = basename(dirname(file));
      if (card.controls === undefined && card.exempt === undefined) throw new Error(`${file} names no control`);
      return { ...card, name, program: `lab/proof/${name}/check.ts` };
    });
}

/** Whether the claim held and the check noticed every control. */
export function isProved({ controls = {} }: Card, run: Run | undefined): boolean {
  return run?.outcome?.violations === 0 && Object.keys(controls).every((name) => (run.controls[name] ?? 0) > 0);
}

export function readRuns(): Runs {
  return existsSync(RECORD) ? (JSON.parse(readFileSync(RECORD, 'utf8')) as Runs) : {};
}

export function writeRuns(runs: Runs): void {
  const sorted = Object.fromEntries(Object.entries(runs).sort(([a], [b]) => a.localeCompare(b)));
  writeFileSync(RECORD, `${JSON.stringify(sorted, null, 2)}\n`);
}
