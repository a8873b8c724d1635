/** The descriptions of the folder `contract`, where the code of each is, and how its releases are named. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parse } from 'yaml';

export const RELEASED = 'contract/released';

interface Description {
  readonly name: string;
  readonly path: string;
  /** How the names of its releases begin. */
  readonly prefix: string;
}

export const DESCRIPTIONS: readonly Description[] = globSync('contract/*.yaml')
  .map((path) => ({ path, name: basename(path, '.yaml') }))
  .filter(({ name }) => !name.endsWith('.arazzo'))
  .map(({ path, name }) => ({
    name,
    path,
    prefix: name === 'openapi' ? '' : `${name}-`,
  }))
  // The order of globSync is not fixed.
  .sort((a, b) => (a.path < b.path ? -1 : 1));

/**
 * Returns the folder of the generated files: `src/contract` for the store's API, and for any other description the
 * folder below `src/features` that has its name.
 */
export function folderOf({ name, path }: Description): string {
  if (name === 'openapi') return 'src/contract';
  const folders = globSync(`src/features/**/${name}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative('', join(entry.parentPath, entry.name)))
    .sort();
  const [folder] = folders;
  if (folder === undefined) throw new Error(`${path} needs a folder ${name} below src/features, which serves it`);
  if (folders.length > 1) throw new Error(`${path} needs only one folder ${name}, but there are ${folders.join(', ')}`);
  return folder;
}

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
