/** The tools of Debian that checks use. */
import { execFileSync } from 'node:child_process';

/** Returns the versions of installed packages, by name. Throws if one is missing. */
export function versionsOf(...packages: readonly string[]): Readonly<Record<string, string>> {
  const lines = execFileSync('dpkg-query', ['-W', ...packages], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return Object.fromEntries(lines.map((line) => line.replace(/:\w+\t/, '\t').split('\t')));
}
