/**
 * `npm run package` makes dist/package, the folder that `npm publish` would send, and its archive. The package runs on
 * the user's own Node, without other packages and without a shell.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { THREADS } from '../src/util/assets.ts';
import { ASSETS, bundle, packagesIn } from './bundle.ts';
import { licencesOfBundle } from './licences.ts';

const FOLDER = 'dist/package';
/** Assets and threads have the same paths as from src. The descriptions are beside it, in the folder contract. */
const LIB = `${FOLDER}/lib`;
/** The code. It finds assets and threads in the folder above, as src/util/assets.ts does. */
const CODE = `${LIB}/code`;

const { name, version, description, license, homepage, repository, bugs, keywords } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

const manifest = {
  name,
  version,
  description,
  license,
  homepage,
  repository,
  bugs,
  keywords,
  type: 'module',
  bin: { 'plant-store': 'bin/plantstore.cjs', plantstore: 'bin/plantstore.cjs' },
  exports: {
    '.': {
      require: { types: './index.d.cts', default: './bin/library.cjs' },
      default: { types: './index.d.ts', default: './bin/library.cjs' },
    },
    ...Object.fromEntries(
      globSync('*.yaml', { cwd: 'contract' })
        .sort()
        .map((file) => [`./${file}`, `./contract/${file}`]),
    ),
    './manifest.schema.json': './manifest.schema.json',
    './package.json': './package.json',
  },
  // The first versions with a SQLite that is safe for two connections, and without the warning of node:sqlite.
  engines: { node: '^24.15.0 || >=25.9.0' },
};

rmSync(FOLDER, { recursive: true, force: true });
const library = { dir: CODE, format: 'esm', chunkFileNames: '[name].js' } as const;
const bundled = new Set(packagesIn(await bundle({ main: 'lab/main.ts', index: 'lab/index.ts' }, library)));
for (const thread of THREADS) {
  const file = `${LIB}/${thread.replace(/\.ts$/, '.js')}`;
  const made = await bundle({ thread: `src/${thread}` }, { file, format: 'esm', codeSplitting: false });
  for (const folder of packagesIn(made)) bundled.add(folder);
}
for (const asset of ASSETS) copyTo(`src/${asset}`, `${LIB}/${asset}`);
// The guide and the descriptions in JSON are long texts, which the program reads once.
for (const text of ASSETS.filter((asset) => asset.endsWith('.json'))) {
  writeFileSync(`${LIB}/${text}.br`, brotliCompressSync(readFileSync(`${LIB}/${text}`)));
  rmSync(`${LIB}/${text}`);
}
copyTo('contract/manifest.schema.json', `${FOLDER}/manifest.schema.json`);
copyTo('LICENSE', `${FOLDER}/LICENSE`);
copyTo('docs/package.md', `${FOLDER}/README.md`);
for (const file of readdirSync('scripts/package')) copyTo(`scripts/package/${file}`, `${FOLDER}/bin/${file}`);
writeFileSync(`${FOLDER}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(`${FOLDER}/THIRD-PARTY-LICENSES`, licencesOfBundle(bundled));
writeTypes();
// The modes of the files would otherwise depend on the umask of this process and of the clone.
for (const entry of readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
  if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644);
}
execFileSync('npm', ['pack', '--silent', '--pack-destination', 'dist', `./${FOLDER}`], { stdio: 'pipe' });
const archive = resolve(`dist/${name}-${version}.tgz`);
process.stdout.write(`Made ${archive}. In another project:
  npm install --save-dev ${archive}
  npx ${name} serve --demo
`);

function copyTo(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/**
 * Writes the types of the library, and copies for programs in CommonJS. From other files, src/index.ts uses only the
 * types generated for clients.
 */
function writeTypes(): void {
  const options = ['--project', 'scripts/package-types.json'];
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options], { stdio: 'inherit' });
  const files = ['index.d.ts', 'features/sandbox/client-types.generated.d.ts'];
  for (const file of files) {
    const types = readFileSync(`dist/types/src/${file}`, 'utf8');
    mkdirSync(dirname(`${FOLDER}/${file}`), { recursive: true });
    writeFileSync(`${FOLDER}/${file}`, types);
    const forCommonJs = types.replace(/(from '\.\/.*)\.ts'/g, "$1.cts'");
    writeFileSync(`${FOLDER}/${file.replace(/ts$/, 'cts')}`, forCommonJs);
  }
}
