/**
 * `npm run release` makes all files of a release in dist/release and publishes nothing. With `-- --dry-run` it also
 * works with uncommitted changes, and reports them.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFileSync, cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { differingReleases } from './contract/descriptions.ts';

const FOLDER = 'dist/release';
const isDryRun = process.argv.includes('--dry-run');

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const problems = [...problemsOfVersion(), ...problemsOfTree()];
for (const problem of problems) console.error(problem);
if (problems.length > 0 && !isDryRun) process.exit(1);

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
npm('run', '-s', 'package');
npm('run', '-s', 'build');
copyFileSync(`dist/${name}-${version}.tgz`, join(FOLDER, `${name}-${version}.tgz`));
const executable = process.platform === 'win32' ? 'plantstore.exe' : 'plantstore';
copyFileSync(`dist/${executable}`, join(FOLDER, `${process.platform}-${process.arch}-${executable}`));
cpSync('dist/notices', FOLDER, { recursive: true });
for (const file of globSync('*.yaml', { cwd: 'contract' })) copyFileSync(`contract/${file}`, join(FOLDER, file));
writeFileSync(join(FOLDER, 'NOTES.md'), `${changes()}\n`);
const sums = readdirSync(FOLDER).map((file) => `${hash('sha256', readFileSync(join(FOLDER, file)))}  ${file}\n`);
writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''));

console.log(`${FOLDER} holds ${name} ${version}:\n${sums.join('')}`);
if (isDryRun) console.log('This was a dry run: see docs/releasing.md for the remaining steps.');

function npm(...args: string[]): void {
  execFileSync('npm', args, { stdio: 'inherit' });
}

/** The section of CHANGELOG.md about this version, without its heading. */
function changes(): string {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${version} `)) ?? '';
  return section.slice(section.indexOf('\n')).trim();
}

/** The version must be the same in eight places, and the descriptions of the release must be kept for comparison. */
function problemsOfVersion(): string[] {
  const described = globSync('contract/*.yaml').flatMap((path) => {
    const found = parse(readFileSync(path, 'utf8')).info.version;
    return found === version ? [] : [`${path} has the version ${found}, but package.json has ${version}`];
  });
  const cited = parse(readFileSync('CITATION.cff', 'utf8')).version;
  return [
    ...described,
    ...differingReleases(true),
    ...(cited === version ? [] : [`CITATION.cff has the version ${cited}, but package.json has ${version}`]),
    ...(changes() === '' ? [`CHANGELOG.md has no section ${version}`] : []),
    ...(/^## \S+ - unreleased/m.test(readFileSync('CHANGELOG.md', 'utf8'))
      ? ['CHANGELOG.md has a section that is marked as unreleased']
      : []),
  ];
}

function problemsOfTree(): string[] {
  const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  return changed === '' ? [] : ['the working tree has changes that are not committed'];
}
