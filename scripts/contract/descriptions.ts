/** The descriptions whose releases are kept in contract/released, and how a release is named there. */
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const RELEASED = 'contract/released';

/** The descriptions by the prefix of the names of their releases. */
export const DESCRIPTIONS = {
  '': 'contract/openapi.yaml',
  'sandbox-': 'contract/sandbox.yaml',
  'events-': 'contract/events.yaml',
} as const;

/**
 * Returns a line for each description that differs from the release of its own version. `isRelease`: whether each
 * description must have such a release. Before the first release of a version there is none, or a copy of this version.
 */
export function differingReleases(isRelease: boolean): readonly string[] {
  return Object.entries(DESCRIPTIONS).flatMap(([prefix, path]) => {
    const text = readFileSync(path, 'utf8');
    const kept = `${RELEASED}/${prefix}${parse(text).info.version}.yaml`;
    if (!existsSync(kept)) return isRelease ? [`there is no ${kept}: copy ${path} to it`] : [];
    if (readFileSync(kept, 'utf8') === text) return [];
    return [
      `${path} differs from ${kept}: copy it until this version is released, and raise the version after the release`,
    ];
  });
}
