/** A feature that was not asked for is not loaded: defects, the grader, sandboxes, and the garden of a demo. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';

const ASKED = {
  'lab/defects/index.ts': '--defect=none',
  'src/features/sandbox/index.ts': '--sandboxes=10',
  'src/plants/garden.ts': '--demo',
};

test('a feature is loaded only by its own option', async () => {
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
  for (const folder of ['lab/grade', 'src/features/sandbox']) assert.ok(!has(plain, folder), folder);
  for (const file of ['lab/defects/index.ts', 'src/plants/garden.ts']) assert.ok(!plain.includes(file), file);
  for (const [file, option] of Object.entries(ASKED)) {
    const loaded = await filesOf(...(option === '--demo' ? [] : ['--database', 'temporary']), option);
    assert.ok(loaded.includes(file), file);
    assert.ok(!has(loaded, 'lab/grade'));
  }
});
