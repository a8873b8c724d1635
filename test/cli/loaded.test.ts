/** A feature that was not asked for is not loaded: only the files that the command line needs of its folder. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { PROGRAM } from '../../lab/program.ts';
import { flagOf, type Options } from '../../src/cli/command-line.ts';
import { serveOptionsWith } from '../../src/cli/serve.ts';
import type { FeatureEntry } from '../../src/program.ts';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';
import { DEFAULTS } from '../harness/service.ts';

const FOLDERS = globSync('{src/features/*,lab/defects}/entry.ts').map(dirname).sort();

const entryOf = async (folder: string): Promise<FeatureEntry> => {
  const exported: object = await import(`../../${folder}/entry.ts`);
  const found = PROGRAM.features.find((entry) => Object.values(exported).includes(entry));
  assert.ok(found !== undefined, `no list of features has the entry of ${folder}`);
  return found;
};

/** Arguments that ask for the feature: one of its own options, or else one that every service has. */
function argumentsFor({ options = {}, isAskedFor }: FeatureEntry): readonly string[] {
  const every: Options = { ...options, ...serveOptionsWith([]) };
  for (const [name, { read, value, excludes = [] }] of Object.entries(every)) {
    for (const text of value === undefined ? ['true'] : ['none', '10']) {
      try {
        if (!isAskedFor({ ...DEFAULTS, [name]: read(text) })) continue;
      } catch {
        // The option does not take this text.
        continue;
      }
      const flag = value === undefined ? `--${flagOf(name)}` : `--${flagOf(name)}=${text}`;
      return excludes.includes('database') ? [flag] : ['--database', 'temporary', flag];
    }
  }
  throw new Error('no option asks for the feature');
}

test('a feature is loaded only by its own option', async (t) => {
  using directory = createDirectory();
  const list = directory.at('loaded');
  writeFileSync(
    directory.at('hook.mjs'),
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({
       load(url, context, next) {
         appendFileSync(${JSON.stringify(list)}, url + '\\n');
         return next(url, context);
       },
     });`,
  );
  const filesOf = async (...args: readonly string[]) => {
    writeFileSync(list, '');
    const service = await serveProcess(args, { NODE_OPTIONS: `--import=${directory.at('hook.mjs')}` });
    await service.stop('SIGTERM');
    return [...readFileSync(list, 'utf8').matchAll(/\/((?:src|lab)\/\S+)/g)].map(([, file = '']) => file);
  };
  const plain = await filesOf('--database', 'temporary');
  const has = (files: readonly string[], folder: string) => files.some((file) => file.startsWith(`${folder}/`));
  assert.ok(has(plain, 'src/http') && has(plain, 'src/stores'));
  assert.ok(!has(plain, 'lab/grade'));
  for (const folder of FOLDERS) {
    await t.test(folder, async () => {
      assert.ok(!plain.includes(`${folder}/index.ts`));
      const args = argumentsFor(await entryOf(folder));
      const loaded = await filesOf(...args);
      assert.ok(loaded.includes(`${folder}/index.ts`), args.join(' '));
      assert.ok(!has(loaded, 'lab/grade'));
    });
  }
  const early = plain.filter((file) => FOLDERS.some((folder) => file.startsWith(`${folder}/`)));
  assert.deepEqual(
    early.filter((file) => !/\/(entry|options|commands|grader-channel)\.ts$/.test(file)),
    [],
  );
  assert.ok(!plain.includes('src/plants/garden.ts'));
});
