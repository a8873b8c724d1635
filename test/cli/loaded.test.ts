/** What is not asked for costs nothing: of planted defects, the grader, sandboxes and the demo no code is loaded. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';

const ASKED = { defects: '--defect=none', sandbox: '--sandboxes=10', demo: '--demo' } as const;

test('a capability is loaded by its own option alone', async () => {
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
  const foldersOf = async (...args: readonly string[]) => {
    writeFileSync(list, '');
    const service = await serveProcess(args, { NODE_OPTIONS: `--import=${directory.at('hook.mjs')}` });
    await service.stop('SIGTERM');
    return new Set([...readFileSync(list, 'utf8').matchAll(/\/src\/(\w+)\//g)].map(([, folder]) => folder));
  };
  const plain = await foldersOf('--database', 'temporary');
  assert.ok(plain.has('http') && plain.has('stores'));
  for (const folder of ['defects', 'grade', 'sandbox', 'demo']) assert.ok(!plain.has(folder), folder);
  for (const [folder, option] of Object.entries(ASKED)) {
    const loaded = await foldersOf(...(folder === 'demo' ? [] : ['--database', 'temporary']), option);
    assert.ok(loaded.has(folder), folder);
    assert.ok(!loaded.has('grade'));
  }
});
