/**
 * Compares each description with all its releases of the same major version. Fails if there is a breaking change, or if
 * a description differs from the release of its own version.
 */
import { readdirSync } from 'node:fs';
import { breakingChanges } from './breaking-changes.ts';
import { DESCRIPTIONS, differingReleases, RELEASED } from './descriptions.ts';
import { readDescription } from './read-description.ts';

const major = (version: string) => version.split('.')[0];

for (const { prefix, path } of DESCRIPTIONS) {
  const current = readDescription(path);
  const names = readdirSync(RELEASED).filter((name) => new RegExp(`^${prefix}\\d`).test(name));
  if (names.length === 0) throw new Error(`there is no released ${path} to compare with`);
  for (const name of names.sort()) {
    const released = readDescription(`${RELEASED}/${name}`);
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
