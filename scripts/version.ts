/**
 * The version and the address of the repository stand in package.json. These are the other places that have them, and
 * `npm run generate` writes them.
 */
import { globSync, readFileSync } from 'node:fs';

const NUMBER = /\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]*[0-9A-Za-z])?/.source;
const ARCHIVE = ['plant-store-', String.raw`(?=\.tgz)`] as const;

/** The files, and for each version in them the text before it, as a pattern, and perhaps the text after it. */
const PLACES: readonly (readonly [files: string, before: string, after?: string])[] = [
  ['package-lock.json', String.raw`"name": "plant-store",\n\s+"version": "`],
  ['contract/*.yaml', String.raw`\ninfo:\n(?: .*\n)*?  version: `],
  ['CITATION.cff', String.raw`\nversion: `],
  ['deploy/docker/Dockerfile', String.raw`image\.version="`],
  ['deploy/kubernetes/plant-store.yaml', 'plant-store:'],
  ['README.md', ...ARCHIVE],
  ['docs/*.md', ...ARCHIVE],
  ['docs/*.md', String.raw`defects \(Plant Store `],
  ['docs/guide/*.md', ...ARCHIVE],
  ['docs/guide/*.md', String.raw`openapi: 3\.1\.0\ninfo:\n  title: Plant Store\n  version: `],
];

/** Returns the texts with the version and the address of package.json, by their paths. */
export function versionFiles(): Readonly<Record<string, string>> {
  const { version, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
  const texts: Record<string, string> = {
    'src/util/version.generated.ts': `// Generated from package.json by npm run generate. Do not edit.
export const version = '${version}';
`,
  };
  for (const [files, before, after = ''] of PLACES) {
    const place = new RegExp(`(?<=${before})${NUMBER}${after}`, 'g');
    for (const path of globSync(files)) {
      texts[path] = (texts[path] ?? readFileSync(path, 'utf8')).replace(place, () => version);
    }
  }
  const address = repository.url.replace(/^git\+/, '');
  texts['README.md'] = (texts['README.md'] ?? '').replace(/(?<=git clone )\S+/, () => address);
  return texts;
}
