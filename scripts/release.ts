/**
 * `npm run release` makes all files of a release in dist/release and publishes nothing. It first compares the CPU time
 * of requests with the last release. With `-- --dry-run` it does not, and it also works with uncommitted changes, and
 * reports them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { compareWithLastRelease, slowerWithoutReason } from '../lab/bench/guard.ts';
import { differingReleases } from './contract/descriptions.ts';

const FOLDER = 'dist/release';
const isDryRun = process.argv.includes('--dry-run');

/** Executables of other systems, which were built there. The release takes them as they are. */
const OTHERS = 'dist/executables';

const { name, version, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const problems = [...problemsOfVersion(), ...problemsOfTree()];
if (problems.length === 0 && !isDryRun) problems.push(...(await problemsOfCost()));
for (const problem of problems) console.error(problem);
if (problems.length > 0 && !isDryRun) process.exit(1);

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
npm('run', '-s', 'package');
npm('run', '-s', 'build');
copyFileSync(`dist/${name}-${version}.tgz`, join(FOLDER, `${name}-${version}.tgz`));
const executable = process.platform === 'win32' ? 'plantstore.exe' : 'plantstore';
copyFileSync(`dist/${executable}`, join(FOLDER, `${process.platform}-${process.arch}-${executable}`));
if (existsSync(OTHERS)) cpSync(OTHERS, FOLDER, { recursive: true });
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

/** What is generated must be up to date, the descriptions must be kept, and the texts must fit a published package. */
function problemsOfVersion(): string[] {
  const generate = spawnSync(process.execPath, [join(import.meta.dirname, 'generate.ts'), '--check'], {
    encoding: 'utf8',
  });
  return [
    ...generate.stderr.split('\n').filter((line) => line !== ''),
    ...differingReleases(true),
    ...(changes() === '' ? [`CHANGELOG.md has no section ${version}`] : []),
    ...(/^## \S+ - unreleased/m.test(readFileSync('CHANGELOG.md', 'utf8'))
      ? ['CHANGELOG.md has a section that is marked as unreleased']
      : []),
    ...(repository.url.includes('/OWNER/')
      ? ['package.json has the placeholder OWNER in its addresses: write the owner of the repository there']
      : []),
    ...globSync(['README.md', 'docs/*.md', 'docs/guide/*.md'])
      .filter((path) => /package is not on\s+npm/.test(readFileSync(path, 'utf8')))
      .map((path) => `${path} has a sentence that the package is not on npm`),
  ];
}

function problemsOfTree(): string[] {
  const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  return changed === '' ? [] : ['the working tree has changes that are not committed'];
}

/** Measures for about two minutes. The machine must have nothing else to do, so CI does not measure. */
async function problemsOfCost(): Promise<readonly string[]> {
  if (process.env['CI'] !== undefined) {
    console.log('CI does not compare the cost of requests. npm run release did so before the tag was pushed.');
    return [];
  }
  const found = await compareWithLastRelease({ rounds: 5, seconds: 2 }, console.error);
  if (typeof found === 'string') return [`the cost of requests was not compared: ${found}`];
  console.log(found.report);
  return slowerWithoutReason(found.medians, changes());
}
