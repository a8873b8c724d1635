/**
 * Compares this checkout with the last release, side by side. `npm run bench -- --guard` prints the ratios, and
 * `npm run release` refuses a release that needs more CPU time unless its notes give the reason.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spread } from './figures.ts';
import { everyRound, ratios } from './report.ts';
import { plantStore, ROOT } from './servers.ts';
import { sideBySide } from './side-by-side.ts';
import { missingWrk } from './wrk.ts';

/** The commit that 1.0.0 is compared with. Later versions are compared with the tag of the version before. */
const BEFORE_1_0_0 = '0fe644565598d484fcce1f9c3ff6e81a44aadd77';
/** Not below node_modules, where Node runs no TypeScript. */
const WORKTREES = join(ROOT, 'dist/bench');
/** The largest ratio of the CPU time of a request to that of the last release, without a reason in the notes. */
export const MOST = 1.1;
const HERE = 'here';
export const GUARDED = ['get: CPU µs', 'list: CPU µs', 'create: CPU µs', 'create at random: CPU µs'];

export interface Guarded {
  /** The ratio of here to the last release in the median of the rounds, by what was measured. */
  readonly medians: ReadonlyMap<string, number>;
  /** All rounds, as Markdown. */
  readonly report: string;
}

/** Measures both. Returns a text with the reason if that is not possible. */
export async function compareWithLastRelease(
  extent: { readonly rounds: number; readonly seconds: number },
  say: (text: string) => void,
): Promise<Guarded | string> {
  const missing = missingWrk();
  if (missing !== undefined) return missing;
  const release = lastRelease();
  if (git('cat-file', '-e', `${release}^{commit}`) === undefined) {
    return `the last release, ${release}, is not in this clone: git fetch --unshallow --tags brings it`;
  }
  const there = `last release (${release.slice(0, 10)})`;
  const contenders = [
    { ...plantStore(ROOT), name: HERE },
    { ...plantStore(checkOut(release)), name: there },
  ];
  const rounds = await sideBySide(contenders, { ...extent, hasLatency: false }, say);
  const found = ratios(rounds, HERE, GUARDED).map(([, column, each]) => [column, spread(each).median] as const);
  return { medians: new Map(found), report: everyRound(rounds, HERE, GUARDED) };
}

/** Returns what refuses a release: each request that needs more CPU time, unless the notes have a line for it. */
export function slowerWithoutReason(medians: ReadonlyMap<string, number>, notes: string): readonly string[] {
  return [...medians]
    .filter(([name, ratio]) => ratio > MOST && !hasReason(name, notes))
    .map(
      ([name, ratio]) =>
        `${nameOf(name)} costs ${ratio.toFixed(2)} times the CPU time of the last release, more than ${MOST}: ` +
        `make it faster, or add the line "- Slower: ${nameOf(name)}, because …" to the section in CHANGELOG.md`,
    );
}

function hasReason(name: string, notes: string): boolean {
  return notes.split('\n').some((line) => line.startsWith(`- Slower: ${nameOf(name)}, because `));
}

function nameOf(column: string): string {
  return column.replace(/:.*/, '');
}

/** The newest tag of a version that does not contain this commit. */
function lastRelease(): string {
  const tags = git('tag', '--list', 'v*', '--no-contains', 'HEAD', '--sort=-version:refname');
  return tags?.split('\n')[0] || BEFORE_1_0_0;
}

/** Returns the folder of a worktree with its packages. Later runs use it again. */
function checkOut(release: string): string {
  const folder = join(WORKTREES, release.slice(0, 12));
  // npm writes this file when all packages are there.
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return folder;
  execFileSync('git', ['worktree', 'add', '--force', '--detach', folder, release], { cwd: ROOT, stdio: 'ignore' });
  execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
  return folder;
}

/** Returns the output, or undefined if git fails. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
