/** The descriptions of the folder `contract`, where the code of each is, and how its releases are named. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse } from 'yaml';

export const RELEASED = 'contract/released';

interface Description {
  readonly name: string;
  readonly path: string;
  /** The folder of the generated files: of the store's API, or of the feature with the name of the description. */
  readonly folder: string;
  /** How the names of its releases begin. */
  readonly prefix: string;
}

export const DESCRIPTIONS: readonly Description[] = globSync('contract/*.yaml')
  .map((path) => ({ path, name: basename(path, '.yaml') }))
  .filter(({ name }) => !name.endsWith('.arazzo'))
  .map(({ path, name }) => ({
    name,
    path,
    folder: name === 'openapi' ? 'src/contract' : `src/features/${name}`,
    prefix: name === 'openapi' ? '' : `${name}-`,
  }))
  // The order of globSync is not fixed.
  .sort((a, b) => (a.path < b.path ? -1 : 1));

const releaseOf = ({ prefix }: Description, text: string) => `${RELEASED}/${prefix}${parse(text).info.version}.yaml`;

/**
 * Returns a line for each description that differs from the release of its own version. `isRelease`: whether each
 * description must have such a release. Before the first release of a version there is none, or a copy of this version.
 */
export function differingReleases(isRelease: boolean): readonly string[] {
  return DESCRIPTIONS.flatMap((description) => {
    const { path } = description;
    const text = readFileSync(path, 'utf8');
    const kept = releaseOf(description, text);
    if (!existsSync(kept)) return isRelease ? [`there is no ${kept}: run npm run generate before the release`] : [];
    if (readFileSync(kept, 'utf8') === text) return [];
    return [`${path} differs from ${kept}: raise the version, or before the release run npm run generate`];
  });
}

/** Copies of the descriptions whose version CHANGELOG.md marks as unreleased, by the paths of their releases. */
export function unreleasedCopies(): Readonly<Record<string, string>> {
  const changes = existsSync('CHANGELOG.md') ? readFileSync('CHANGELOG.md', 'utf8') : '';
  const [, version] = /^## (\S+) - unreleased/m.exec(changes) ?? [];
  const copies = DESCRIPTIONS.flatMap((description) => {
    const text = readFileSync(description.path, 'utf8');
    return parse(text).info.version === version ? [[releaseOf(description, text), text] as const] : [];
  });
  return Object.fromEntries(copies);
}
