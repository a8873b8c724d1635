/** The service imports nothing from the laboratory. It runs without the laboratory, the scripts and the tests. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SERVICE } from '../../src/program.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { type Program, runCommand, runHere, serveProcess } from '../harness/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Makes a clone that has of the code only `src`, and returns its program. */
function copyModel(to: string): Program {
  for (const name of ['src', 'contract', 'package.json', 'tsconfig.json', '.dependency-cruiser.cjs']) {
    cpSync(join(ROOT, name), join(to, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'));
  return { command: [process.execPath, join(to, 'src/main.ts')], cwd: to };
}

test('without the laboratory, the scripts and the tests, the service runs with each of its features', async () => {
  using place = createDirectory();
  const program = copyModel(place.path);
  await using demo = await serveProcess(['--demo'], {}, program);
  const demoClient = createClient(demo.url, 'demo');
  assert.equal((await demoClient.send('POST', '/plants', { body: { id: 70, name: 'Salvia' } })).status, 200);
  assert.equal((await fetch(`${demo.url}/events/openapi.json`)).status, 200);
  demoClient.close();

  const database = `sqlite:${join(place.path, 'plants.db')}`;
  await using store = await serveProcess(['--database', database], {}, program);
  const client = createClient(store.url, store.token ?? '');
  assert.equal((await client.send('POST', '/plants', { body: { id: 12, name: 'Aloe vera' } })).status, 200);
  client.close();
  assert.equal(await store.stop('SIGTERM'), 0);
  const exported = await runCommand(['export', '--database', database, '-'], {}, program);
  assert.equal(exported.stdout, '{"id":12,"name":"Aloe vera"}\n', exported.stderr);
});

test('the help of the service alone names nothing of the laboratory', async () => {
  using place = createDirectory();
  const program = copyModel(place.path);
  const { stdout, code } = await runCommand(['--help'], {}, program);
  assert.equal(code, 0);
  assert.match(stdout, /^ {2}serve /m);
  const commands = [...stdout.matchAll(/^ {2}([a-z]+(?: [a-z]+)?)/gm)].map(([, name = '']) => name);
  const helps = [stdout];
  for (const name of commands) {
    helps.push((await runHere(['help', ...name.trim().split(' ')], {}, undefined, SERVICE)).stdout);
  }
  assert.ok(helps.length > 10);
  for (const help of helps) assert.doesNotMatch(help, /defect|mystery|variants|grade|grading|tester|\blab\b/i);
  const { stderr } = await runCommand(['grade'], {}, program);
  assert.match(stderr, /^plantstore: no such command: grade/);
});

test('lint fails if an import crosses the border, dynamically too, or if a feature imports what it must not', () => {
  using place = createDirectory();
  copyModel(place.path);
  for (const folder of ['lab', 'scripts', 'test']) {
    cpSync(
      join(ROOT, folder === 'lab' ? 'lab/defects' : folder),
      join(place.path, folder, folder === 'lab' ? 'defects' : ''),
      {
        recursive: true,
      },
    );
  }
  const { scripts } = createRequire(import.meta.url)('../../package.json');
  const [cruise = ''] = /depcruise [^&]*/.exec(scripts.lint) ?? [];
  const lint = () => spawnSync('sh', ['-c', `node_modules/.bin/${cruise}`], { cwd: place.path, encoding: 'utf8' });
  const clean = lint();
  assert.equal(clean.status, 0, clean.stdout);
  const imports = [
    "import '../lab/defects/options.ts';\n",
    "export const load = () => import('../lab/defects/options.ts');\n",
    "export type { Variant } from '../lab/defects/defect.ts';\n",
    "import '../scripts/markdown.ts';\n",
    "import '../test/harness/line.ts';\n",
  ];
  for (const [i, line] of imports.entries()) writeFileSync(join(place.path, `src/intruder-${i}.ts`), line);
  mkdirSync(join(place.path, 'src/features/intruder'));
  const feature = ['../events/index.ts', '../../service.ts', '../../cli/output.ts'];
  writeFileSync(
    join(place.path, 'src/features/intruder/index.ts'),
    feature.map((path) => `import '${path}';\n`).join(''),
  );
  writeFileSync(join(place.path, 'src/features/intruder/commands.ts'), "import '../../cli/serve.ts';\n");
  writeFileSync(join(place.path, 'lab/intruder.ts'), "export const load = () => import('../src/service.ts');\n");
  const { status, stdout } = lint();
  assert.notEqual(status, 0);
  for (const [i, line] of imports.entries()) {
    assert.ok(stdout.includes(`the-model-imports-nothing-of-the-laboratory: src/intruder-${i}.ts`), `${line}${stdout}`);
  }
  for (const rule of [
    'features-do-not-know-each-other: src/features/intruder/index.ts → src/features/events/index.ts',
    'features-imports: src/features/intruder/index.ts → src/service.ts',
    'only-main-imports-cli: src/features/intruder/index.ts → src/cli/output.ts',
    'the-entries-of-features-import-the-parts-of-commands: src/features/intruder/commands.ts → src/cli/serve.ts',
  ]) {
    assert.ok(stdout.includes(rule), `${rule}\n${stdout}`);
  }
  assert.match(stdout, /the-laboratory-imports-the-public-face: lab\/intruder\.ts → src\/service\.ts/);
});
