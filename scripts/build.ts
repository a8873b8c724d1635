/**
 * `npm run build` makes dist/plantstore, a single executable for this machine's system and processor. It needs no Node,
 * no packages and no other file. Node's --build-sea puts the bundled program and its assets into a copy of Node
 * (https://nodejs.org/api/single-executable-applications.html). dist/notices has the licences of everything in the
 * executable, and its bill of materials.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { THREADS } from '../src/util/assets.ts';
import { ASSETS, bundle, packagesIn } from './bundle.ts';
import { licencesOfBundle } from './licences.ts';
import { createSbom } from './sbom.ts';

const PARTS = 'dist/parts';
const NOTICES = 'dist/notices';
const EXECUTABLE = process.platform === 'win32' ? 'dist/plantstore.exe' : 'dist/plantstore';

for (const folder of [PARTS, NOTICES]) mkdirSync(folder, { recursive: true });
const main = `${PARTS}/main.mjs`;
const bundled = new Set(
  packagesIn(await bundle({ main: 'lab/main.ts' }, { file: main, format: 'esm', codeSplitting: false })),
);
const assets: Record<string, string> = {};
for (const name of ASSETS) assets[name] = `src/${name}`;
for (const name of THREADS) {
  // A thread evaluates its text as a script, not as a module.
  const file = `${PARTS}/${name.replaceAll('/', '-')}.cjs`;
  const made = await bundle({ thread: `src/${name}` }, { file, format: 'cjs', codeSplitting: false });
  for (const folder of packagesIn(made)) bundled.add(folder);
  assets[name] = file;
}

const configuration = `${PARTS}/executable.json`;
writeFileSync(
  configuration,
  JSON.stringify({
    main,
    mainFormat: 'module',
    executable: strippedNode(),
    output: EXECUTABLE,
    // SIGUSR1, which programs for log rotation send, would open Node's debugger on a port without a credential.
    execArgv: ['--disable-sigusr1'],
    disableExperimentalSEAWarning: true,
    assets,
  }),
);
execFileSync(process.execPath, [`--build-sea=${configuration}`], { stdio: 'inherit' });
// macOS kills a program whose signature does not fit. `-` signs it without an identity.
if (process.platform === 'darwin') {
  execFileSync('codesign', ['--sign', '-', '--force', EXECUTABLE], { stdio: 'inherit' });
}
writeNotices();

/** Node without its symbols, which take 33 MB. Without the program strip (Debian: binutils), Node as it is. */
function strippedNode(): string {
  const copy = `${PARTS}/node`;
  copyFileSync(process.execPath, copy);
  return process.platform === 'linux' && spawnSync('strip', [copy]).status === 0 ? copy : process.execPath;
}

function writeNotices(): void {
  copyFileSync('LICENSE', `${NOTICES}/LICENSE`);
  copyFileSync(licenceOfNode(), `${NOTICES}/NODE-LICENSE`);
  writeFileSync(`${NOTICES}/THIRD-PARTY-LICENSES`, licencesOfBundle(bundled));
  writeFileSync(`${NOTICES}/plantstore.cdx.json`, createSbom());
}

/** The licence file of the running Node: beside it, or in the folder above its `bin`. It covers everything in Node. */
function licenceOfNode(): string {
  const folder = dirname(realpathSync(process.execPath));
  const found = [join(folder, 'LICENSE'), join(folder, '../LICENSE')].find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no licence file of Node near ${process.execPath}`);
  return found;
}
