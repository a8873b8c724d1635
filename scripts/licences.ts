/** Joins the licences of other people's packages into one text. Each licence appears once, below its packages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LINE = `\n${'-'.repeat(80)}\n\n`;

/** The licences of the bundled packages, of the reference, and of the packages in the reference. */
export function licencesOfBundle(folders: ReadonlySet<string>): string {
  const reference = `@scalar/api-reference\n\n${readFileSync('src/page/reference.LICENSE', 'utf8')}`;
  return joinLicences(licences(folders), reference, readFileSync('src/page/reference.THIRD-PARTY', 'utf8'));
}

/** Takes the folders of packages. Throws if a package has no licence text and is not under the MIT licence. */
export function licences(folders: Iterable<string>): string {
  const packages = new Map<string, string[]>();
  for (const folder of folders) {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = textIn(folder) ?? (license === 'MIT' ? standardText(author?.name ?? author ?? name) : undefined);
    if (text === undefined) throw new Error(`${name} has no text of its licence (${license})`);
    const names = packages.get(text) ?? [];
    packages.set(text, [...names, `${name} ${version} (${license})`]);
  }
  const parts = [...packages].map(([text, names]) => `${names.sort().join('\n')}\n\n${text}\n`);
  return parts.sort().join(LINE);
}

function joinLicences(...texts: readonly string[]): string {
  return texts.map((text) => `${text.trim()}\n`).join(LINE);
}

/** The licence and notice files of a package, or the section of its README that contains the whole licence. */
function textIn(folder: string): string | undefined {
  const files = readdirSync(folder);
  const own = files.filter((name) => /^(licen[cs]e|copying|notice)/i.test(name)).sort();
  if (own.length > 0) return own.map((name) => readText(folder, name)).join('\n\n');
  const readme = files.find((name) => /^readme/i.test(name));
  const section = readme && /^#+ licen[cs]e\s([\s\S]*)/im.exec(readText(folder, readme))?.[1]?.trim();
  return section?.includes('THE SOFTWARE IS PROVIDED') ? section : undefined;
}

function readText(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim();
}

/** The text of this project's own MIT licence with another holder. */
function standardText(holder: string): string {
  const own = readFileSync(new URL('../LICENSE', import.meta.url), 'utf8').trim();
  return own.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`);
}
