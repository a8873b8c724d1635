/** The command as it is called: by its path, or by what a package manager puts on the path. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
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
import { fileURLToPath } from 'node:url';
import { runCommand } from '../harness/process.ts';

const PLANTSTORE = fileURLToPath(new URL('../../bin/plantstore', import.meta.url));
const directory = realpathSync(mkdtempSync(join(tmpdir(), 'plantstore-bin-')));
after(() => rmSync(directory, { recursive: true }));

test('where npm ci was not run, a Node that is too old, or none, is told in one line, and a new one is taken', async () => {
  const root = join(directory, 'project');
  mkdirSync(join(root, 'bin'), { recursive: true });
  mkdirSync(join(root, 'src'));
  copyFileSync(PLANTSTORE, join(root, 'bin/plantstore'));
  writeFileSync(join(root, 'src/main.ts'), 'console.log("runs" satisfies string);\n');
  const program = { command: [join(root, 'bin/plantstore')] } as const;
  const tools = join(directory, 'tools');
  mkdirSync(tools);
  symlinkSync('/usr/bin/dirname', join(tools, 'dirname'));
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
