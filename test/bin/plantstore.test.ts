/** The command as it is called: by its path, or by what a package manager puts on the path. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { PLANTSTORE, runCommand } from '../harness/process.ts';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'plantstore-bin-')));
after(() => rmSync(directory, { recursive: true }));

test('without npm ci, a Node that is too old or missing and missing packages are reported in one line', async () => {
  const root = join(directory, 'project');
  mkdirSync(join(root, 'bin'), { recursive: true });
  mkdirSync(join(root, 'src'));
  copyFileSync(PLANTSTORE, join(root, 'bin/plantstore'));
  writeFileSync(join(root, 'src/main.ts'), 'console.log("runs" satisfies string);\n');
  const program = { command: [join(root, 'bin/plantstore')] } as const;
  const tools = join(directory, 'tools');
  mkdirSync(tools);
  for (const tool of ['dirname', 'readlink']) symlinkSync(`/usr/bin/${tool}`, join(tools, tool));
  const missing = (found: string) => ({
    code: 1,
    stdout: '',
    stderr: `plantstore: it needs Node 26 or newer, here is ${found}; npm ci in ${root} brings it\n`,
  });
  assert.deepEqual(await runCommand([], { PATH: tools }, program), missing('none'));
  const node = join(tools, 'node');
  writeFileSync(node, '#!/bin/sh\necho v20.20.2\n', { mode: 0o755 });
  assert.deepEqual(await runCommand([], { PATH: tools }, program), missing('v20.20.2'));
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const npmStart = { command: ['/bin/sh', '-c', scripts.start], cwd: root } as const;
  assert.deepEqual(await runCommand([], { PATH: tools }, npmStart), missing('v20.20.2'));
  rmSync(node);
  symlinkSync(process.execPath, node);
  assert.deepEqual(await runCommand([], { PATH: tools }, program), {
    code: 1,
    stdout: '',
    stderr: `plantstore: its packages are missing; npm ci in ${root} brings them\n`,
  });
  // Without the optional ones, among which is Node, the system's is taken where it is new enough.
  mkdirSync(join(root, 'node_modules'));
  assert.deepEqual(await runCommand([], { PATH: tools }, program), { code: 0, stdout: 'runs\n', stderr: '' });
});

test('npm ci ends with the Node that it brought on the path of every script, which npm 10 takes away', async () => {
  const root = join(directory, 'installed');
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(root, 'node_modules/node-here-x64/bin'), { recursive: true });
  symlinkSync(process.execPath, join(root, 'node_modules/node-here-x64/bin/node'));
  // npm runs a project's own postinstall at the end, and no package's.
  copyFileSync(new URL('../../package.json', import.meta.url), join(root, 'package.json'));
  const { code, stderr } = await runCommand(['run', 'postinstall'], {}, { command: ['npm'], cwd: root });
  assert.equal(code, 0, stderr);
  assert.equal(realpathSync(join(root, 'node_modules/.bin/node')), realpathSync(process.execPath));
});

test('the Node that npm ci brought is taken also where the path of the folder could be no part of PATH', async () => {
  const root = join(directory, 'a:b');
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/main.ts'), 'console.log("runs" satisfies string);\n');
  cpSync(dirname(PLANTSTORE), join(root, 'bin'), { recursive: true });
  const finished = await runCommand([], { PATH: '/usr/bin:/bin' }, { command: [join(root, 'bin/plantstore')] });
  assert.deepEqual(finished, { code: 0, stdout: 'runs\n', stderr: '' });
});

test('below node_modules, where Node runs no TypeScript, this is reported in one line', async () => {
  const root = join(directory, 'lib/node_modules/plant-store');
  cpSync(dirname(PLANTSTORE), join(root, 'bin'), { recursive: true });
  const { code, stderr } = await runCommand(['--version'], {}, { command: [join(root, 'bin/plantstore')] });
  assert.equal(code, 1);
  assert.match(stderr, /^plantstore: it is in [^\n]+, and Node runs no TypeScript below node_modules; [^\n]+\n$/);
});

test('it runs by links to it: absolute, relative, a link to a link, and a link to its folder', async () => {
  const at = (name: string) => join(directory, name);
  mkdirSync(at('bin'));
  symlinkSync(PLANTSTORE, at('absolute'));
  symlinkSync(relative(at('bin'), PLANTSTORE), at('bin/relative'));
  symlinkSync('bin/relative', at('link of a link'));
  symlinkSync(dirname(PLANTSTORE), at('folder'));
  for (const name of ['absolute', 'bin/relative', 'link of a link', 'folder/plantstore']) {
    const finished = await runCommand(['--version'], {}, { command: [at(name)] });
    assert.deepEqual(finished, { code: 0, stdout: '1.0.0\n', stderr: '' }, name);
  }
});
