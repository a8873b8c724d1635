/** Compares each description with all its releases of the same major version. Fails if there is a breaking change. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { breakingChanges } from './breaking-changes.ts';

const RELEASED = 'contract/released';
const read = (path: string) => parse(readFileSync(path, 'utf8'), { intAsBigInt: true });

const major = (version: string) => version.split('.')[0];

/** The descriptions by the prefix of the names of their releases. */
const DESCRIPTIONS = {
  '': 'contract/openapi.yaml',
  'sandbox-': 'contract/sandbox.yaml',
  'events-': 'contract/events.yaml',
} as const;

for (const [prefix, path] of Object.entries(DESCRIPTIONS)) {
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
