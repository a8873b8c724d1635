/**
 * Compares each description with all its releases of the same major version. Fails if there is a breaking change, or if
 * a description differs from the release of its own version.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { breakingChanges } from './breaking-changes.ts';
import { DESCRIPTIONS, differingReleases, RELEASED } from './descriptions.ts';

const read = (path: string) => parse(readFileSync(path, 'utf8'), { intAsBigInt: true });

const major = (version: string) => version.split('.')[0];

for (const { prefix, path } of DESCRIPTIONS) {
  const current = read(path);
  const names = readdirSync(RELEASED).filter((name) => new RegExp(`^${prefix}\\d`).test(name));
  if (names.length === 0) throw new Error(`there is no released ${path} to compare with`);
  for (const name of names.sort()) {
    const released = read(`${RELEASED}/${name}`);
    if (major(released.info.version) !== major(current.info.version)) continue;
    for (const change of breakingChanges(released, current)) {
      console.error(`breaks ${path} of ${released.info.version}: ${change}`);
      process.exitCode = 1;
    }
  }
}

for (const line of differingReleases(false)) {
  console.error(line);
  process.exitCode = 1;
}
