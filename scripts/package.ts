/**
 * `npm run package`: dist/package, the folder that `npm publish` would send, and its archive beside it. It runs on the
 * user's own Node, needs no other package and no shell.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ASSETS, THREADS } from '../src/assets.ts';
import { bundle } from './bundle.ts';

const FOLDER = 'dist/package';
/** Code and assets lie as they do below src: each finds the others from where it is. */
const LIB = `${FOLDER}/lib`;

const { name, version, description, license, keywords } = JSON.parse(readFileSync('package.json', 'utf8'));

const manifest = {
  name,
  version,
  description,
  license,
  keywords,
  type: 'module',
  bin: { 'plant-store': 'bin/plantstore.cjs', plantstore: 'bin/plantstore.cjs' },
  exports: {
    '.': { types: './index.d.ts', default: './lib/index.js' },
    './openapi.yaml': './openapi.yaml',
    './package.json': './package.json',
  },
  // The first of each with a SQLite that is safe for two connections, and without its warning.
  engines: { node: '^24.15.0 || >=25.9.0' },
};

rmSync(FOLDER, { recursive: true, force: true });
const bundled = new Set<string>();
const collect = ({ output }: Awaited<ReturnType<typeof bundle>>) => {
  for (const chunk of output) if (chunk.type === 'chunk') for (const id of chunk.moduleIds) bundled.add(id);
};
collect(await bundle({ main: 'main.ts', index: 'index.ts' }, { dir: LIB, format: 'esm', chunkFileNames: '[name].js' }));
for (const thread of THREADS) {
  const file = `${LIB}/${thread.replace(/\.ts$/, '.js')}`;
  collect(await bundle({ thread }, { file, format: 'esm', codeSplitting: false }));
}
for (const asset of ASSETS) copyTo(`src/${asset}`, `${LIB}/${asset}`);
copyTo('openapi.yaml', `${FOLDER}/openapi.yaml`);
copyTo('LICENSE', `${FOLDER}/LICENSE`);
copyTo('docs/package.md', `${FOLDER}/README.md`);
for (const file of readdirSync('scripts/package')) copyTo(`scripts/package/${file}`, `${FOLDER}/bin/${file}`);
writeFileSync(`${FOLDER}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(`${FOLDER}/THIRD-PARTY-LICENSES`, licences());
declare();
execFileSync('npm', ['pack', '--silent', '--pack-destination', 'dist', `./${FOLDER}`], { stdio: 'inherit' });

function copyTo(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** The library's types, in one file: src/index.ts names no type of another. */
function declare(): void {
  const options = [
    '--declaration',
    '--emitDeclarationOnly',
    '--noCheck',
    '--noEmit',
    'false',
    '--outDir',
    'dist/types',
  ];
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options], { stdio: 'inherit' });
  copyTo('dist/types/src/index.d.ts', `${FOLDER}/index.d.ts`);
}

/** Of every package of which something was bundled, and of the reference. */
function licences(): string {
  const folders = new Set([...bundled].flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = licenceIn(folder);
    if (text === undefined) throw new Error(`${name} has no text of its licence (${license})`);
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  const reference = readFileSync('src/docs/reference.LICENSE', 'utf8').trim();
  return [...texts, `@scalar/api-reference\n\n${reference}\n`].join(`\n${'-'.repeat(80)}\n\n`);
}

/** A file of its own or, in some packages, the last section of the README. */
function licenceIn(folder: string): string | undefined {
  const files = readdirSync(folder);
  const file = files.find((one) => /^licen[cs]e/i.test(one));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8');
  const readme = files.find((one) => /^readme/i.test(one));
  return readme && /^#+ licen[cs]e\s([\s\S]*)/im.exec(readFileSync(join(folder, readme), 'utf8'))?.[1];
}
