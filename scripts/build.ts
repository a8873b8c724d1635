/**
 * `npm run build` makes dist/plantstore, a single executable for this machine's system and processor. It needs no Node,
 * no packages and no other file. Node's --build-sea puts the bundled program and its assets into a copy of Node
 * (https://nodejs.org/api/single-executable-applications.html).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { THREADS } from '../src/assets.ts';
import { ASSETS, bundle } from './bundle.ts';

const PARTS = 'dist/parts';
const EXECUTABLE = process.platform === 'win32' ? 'dist/plantstore.exe' : 'dist/plantstore';

mkdirSync(PARTS, { recursive: true });
const main = `${PARTS}/main.mjs`;
await bundle({ main: 'main.ts' }, { file: main, format: 'esm', codeSplitting: false });
const assets: Record<string, string> = {};
for (const name of ASSETS) assets[name] = `src/${name}`;
for (const name of THREADS) {
  // A thread evaluates its text as a script, not as a module.
  const file = `${PARTS}/${name.replaceAll('/', '-')}.cjs`;
  await bundle({ thread: name }, { file, format: 'cjs', codeSplitting: false });
  assets[name] = file;
}

const configuration = `${PARTS}/executable.json`;
writeFileSync(
  configuration,
  JSON.stringify({
    main,
    mainFormat: 'module',
    output: EXECUTABLE,
    disableExperimentalSEAWarning: true,
    assets,
  }),
);
execFileSync(process.execPath, [`--build-sea=${configuration}`], { stdio: 'inherit' });
