/** Compares openapi.yaml with every released description of its major version; a breaking change fails. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { breakingChanges } from './breaking-changes.ts';

const RELEASED = 'contract/released';
const read = (path: string) => parse(readFileSync(path, 'utf8'), { intAsBigInt: true });

const current = read('openapi.yaml');
const major = (version: string) => version.split('.')[0];
for (const name of readdirSync(RELEASED).sort()) {
  const released = read(`${RELEASED}/${name}`);
  if (major(released.info.version) !== major(current.info.version)) continue;
  for (const change of breakingChanges(released, current)) {
    console.error(`breaks ${released.info.version}: ${change}`);
    process.exitCode = 1;
  }
}
