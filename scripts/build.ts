/**
 * `npm run build`: dist/plantstore, one executable for this machine's system and processor, which needs no Node, no
 * packages and no file beside it. Node's own --build-sea puts the bundled program and its assets into a copy of Node
 * (https://nodejs.org/api/single-executable-applications.html).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type OutputOptions, rolldown } from 'rolldown';
import { ASSETS, THREADS } from '../src/assets.ts';

const PARTS = 'dist/parts';
const EXECUTABLE = process.platform === 'win32' ? 'dist/plantstore.exe' : 'dist/plantstore';
/** pg loads these only where they are installed, and this project does without. */
const ABSENT = ['pg-native', 'pg-cloudflare'];

async function bundle(entry: string, file: string, format: NonNullable<OutputOptions['format']>): Promise<string> {
  const build = await rolldown({ input: `src/${entry}`, platform: 'node', external: ABSENT });
  await build.write({ file, format, codeSplitting: false, minify: 'dce-only', sourcemap: false });
  await build.close();
  return file;
}

mkdirSync(PARTS, { recursive: true });
const main = await bundle('main.ts', `${PARTS}/main.mjs`, 'esm');
const assets: Record<string, string> = {};
for (const name of ASSETS) assets[name] = `src/${name}`;
// What a thread evaluates is no module.
for (const name of THREADS) assets[name] = await bundle(name, `${PARTS}/${name.replaceAll('/', '-')}.cjs`, 'cjs');

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
