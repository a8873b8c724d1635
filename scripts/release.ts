/**
 * `npm run release`: makes everything that a release consists of in dist/release, and publishes nothing.
 * `npm run release -- --dry-run` does the same from a tree that is not committed, and says so.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

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
// The executable holds Node as well, whose licence is of everything in it.
copyFileSync('dist/package/THIRD-PARTY-LICENSES', join(FOLDER, 'THIRD-PARTY-LICENSES'));
copyFileSync(licenceOfNode(), join(FOLDER, 'NODE-LICENSE'));
copyFileSync('openapi.yaml', join(FOLDER, 'openapi.yaml'));
copyFileSync('deploy/docker/Dockerfile', join(FOLDER, 'Dockerfile'));
writeFileSync(join(FOLDER, 'NOTES.md'), `${changes()}\n`);
const sums = readdirSync(FOLDER).map((file) => `${hash('sha256', readFileSync(join(FOLDER, file)))}  ${file}\n`);
writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''));

console.log(`${FOLDER} holds ${name} ${version}:\n${sums.join('')}`);
if (isDryRun) console.log('A dry run: docs/releasing.md says what is left to do.');

function npm(...args: string[]): void {
  execFileSync('npm', args, { stdio: 'inherit' });
}

/** Beside the Node that runs this, or in the folder above its `bin`. */
function licenceOfNode(): string {
  const folder = dirname(realpathSync(process.execPath));
  const found = [join(folder, 'LICENSE'), join(folder, '../LICENSE')].find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no licence of Node near ${process.execPath}`);
  return found;
}

/** The section of this version in the changelog, without its heading. */
function changes(): string {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${version} `)) ?? '';
  return section.slice(section.indexOf('\n')).trim();
}

/** The version stands in six places, and the contracts of a release are kept, to be compared with later ones. */
function problemsOfVersion(): string[] {
  const contracts = [
    ['openapi.yaml', `contract/released/${version}.yaml`],
    ['sandbox.yaml', `contract/released/sandbox-${version}.yaml`],
  ] as const;
  const problems = contracts.flatMap(([path, kept]) => {
    const text = readFileSync(path, 'utf8');
    const described = parse(text).info.version;
    const isKept = existsSync(kept) && readFileSync(kept, 'utf8') === text;
    return [
      ...(described === version ? [] : [`${path} has the version ${described}, package.json ${version}`]),
      ...(isKept ? [] : [`${kept} is not the present ${path}: copy it`]),
    ];
  });
  return [
    ...problems,
    ...(changes() === '' ? [`CHANGELOG.md has no section ${version}`] : []),
    ...(/^## \S+ - unreleased/m.test(readFileSync('CHANGELOG.md', 'utf8'))
      ? ['CHANGELOG.md says of a version that it is unreleased']
      : []),
  ];
}

function problemsOfTree(): string[] {
  const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  return changed === '' ? [] : ['the working tree has changes that are not committed'];
}
