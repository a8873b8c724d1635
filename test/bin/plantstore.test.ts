/** The command `plantstore`, called by its path or by the link of a package manager. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { version } from '../../src/util/version.generated.ts';
import { createDirectory } from '../harness/directory.ts';
import { PLANTSTORE, runCommand } from '../harness/process.ts';

const place = createDirectory();
after(() => place[Symbol.dispose]());
const directory = fs.realpathSync(place.path);

test('without npm ci, one line reports a missing or too old Node, or missing packages', async () => {
  const root = join(directory, 'project');
  fs.mkdirSync(join(root, 'bin'), { recursive: true });
  fs.mkdirSync(join(root, 'lab'));
  fs.copyFileSync(PLANTSTORE, join(root, 'bin/plantstore'));
  fs.writeFileSync(join(root, 'lab/main.ts'), 'console.log("runs" satisfies string);\n');
  const program = { command: [join(root, 'bin/plantstore')] } as const;
  const tools = join(directory, 'tools');
  fs.mkdirSync(tools);
  for (const tool of ['dirname', 'readlink']) fs.symlinkSync(`/usr/bin/${tool}`, join(tools, tool));
  const missing = (found: string) => ({
    code: 1,
    stdout: '',
    stderr: `plantstore: Node 26 or newer is needed; found: ${found}; run npm ci in ${root}\n`,
  });
  assert.deepEqual(await runCommand([], { PATH: tools }, program), missing('none'));
  const node = join(tools, 'node');
  fs.writeFileSync(node, '#!/bin/sh\necho v20.20.2\n', { mode: 0o755 });
  assert.deepEqual(await runCommand([], { PATH: tools }, program), missing('v20.20.2'));
  const { scripts } = JSON.parse(fs.readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const npmStart = { command: ['/bin/sh', '-c', scripts.start], cwd: root } as const;
  assert.deepEqual(await runCommand([], { PATH: tools }, npmStart), missing('v20.20.2'));
  fs.rmSync(node);
  fs.symlinkSync(process.execPath, node);
  assert.deepEqual(await runCommand([], { PATH: tools }, program), {
    code: 1,
    stdout: '',
    stderr: `plantstore: its packages are missing; run npm ci in ${root}\n`,
  });
  // Without the optional packages, such as Node, a new enough Node of the system is used.
  fs.mkdirSync(join(root, 'node_modules'));
  assert.deepEqual(await runCommand([], { PATH: tools }, program), { code: 0, stdout: 'runs\n', stderr: '' });
});

test('without the folder of the laboratory, the command runs the service alone', async () => {
  const root = join(directory, 'model');
  fs.mkdirSync(join(root, 'node_modules'), { recursive: true });
  fs.mkdirSync(join(root, 'src'));
  fs.cpSync(dirname(PLANTSTORE), join(root, 'bin'), { recursive: true });
  fs.writeFileSync(join(root, 'src/main.ts'), 'console.log(process.argv[2]);\n');
  const ran = await runCommand(['serve'], {}, { command: [join(root, 'bin/plantstore')] });
  assert.deepEqual(ran, { code: 0, stdout: 'serve\n', stderr: '' });
});

test('a Node that does not run on this system, as in Alpine, is left for one that does', async () => {
  const root = join(directory, 'alpine');
  fs.mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  fs.mkdirSync(join(root, 'lab'));
  fs.writeFileSync(join(root, 'lab/main.ts'), 'console.log("runs" satisfies string);\n');
  fs.cpSync(dirname(PLANTSTORE), join(root, 'bin'), { recursive: true });
  // As with a program for another C library, the system does not find its interpreter.
  const broken = { mode: 0o755 };
  fs.writeFileSync(join(root, 'node_modules/.bin/node'), '#!/lib64/no-such-interpreter\n', broken);
  const program = { command: [join(root, 'bin/plantstore')] } as const;
  const tools = join(directory, 'alpine-tools');
  fs.mkdirSync(tools);
  for (const tool of ['dirname', 'readlink']) fs.symlinkSync(`/usr/bin/${tool}`, join(tools, tool));
  assert.deepEqual(await runCommand([], { PATH: tools }, program), {
    code: 1,
    stdout: '',
    stderr:
      'plantstore: Node 26 or newer is needed; found: none; npm ci installed none that runs here (Alpine Linux has ' +
      'no glibc), so install it from your system\n',
  });
  // A program that is there but does not run must not hide a good one, nor may an old one.
  fs.symlinkSync(process.execPath, join(tools, 'node'));
  assert.deepEqual(await runCommand([], { PATH: tools }, program), { code: 0, stdout: 'runs\n', stderr: '' });
  fs.writeFileSync(join(root, 'node_modules/.bin/node'), '#!/bin/sh\necho v20.20.2\n', broken);
  assert.deepEqual(await runCommand([], { PATH: tools }, program), { code: 0, stdout: 'runs\n', stderr: '' });
  // npm's scripts find the folder .bin first.
  fs.mkdirSync(join(root, 'node_modules/node-here-x64/bin'), { recursive: true });
  fs.writeFileSync(join(root, 'node_modules/node-here-x64/bin/node'), '#!/lib64/no-such-interpreter\n', broken);
  fs.copyFileSync(new URL('../../package.json', import.meta.url), join(root, 'package.json'));
  const { code, stderr } = await runCommand(['run', 'postinstall'], {}, { command: ['npm'], cwd: root });
  assert.equal(code, 0, stderr);
  assert.deepEqual(fs.readdirSync(join(root, 'node_modules/.bin')), []);
});

test('after npm ci every npm script finds the installed Node, also with npm 10, which removes its link', async () => {
  const root = join(directory, 'installed');
  fs.mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  fs.mkdirSync(join(root, 'node_modules/node-here-x64/bin'), { recursive: true });
  fs.symlinkSync(process.execPath, join(root, 'node_modules/node-here-x64/bin/node'));
  // npm runs only the postinstall of the project, at the end.
  fs.copyFileSync(new URL('../../package.json', import.meta.url), join(root, 'package.json'));
  const { code, stderr } = await runCommand(['run', 'postinstall'], {}, { command: ['npm'], cwd: root });
  assert.equal(code, 0, stderr);
  assert.equal(fs.realpathSync(join(root, 'node_modules/.bin/node')), fs.realpathSync(process.execPath));
});

test('the installed Node is used even if the path of the folder cannot be in PATH', async () => {
  const root = join(directory, 'a:b');
  fs.mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  fs.symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'));
  fs.mkdirSync(join(root, 'lab'));
  fs.writeFileSync(join(root, 'lab/main.ts'), 'console.log("runs" satisfies string);\n');
  fs.cpSync(dirname(PLANTSTORE), join(root, 'bin'), { recursive: true });
  const finished = await runCommand([], { PATH: '/usr/bin:/bin' }, { command: [join(root, 'bin/plantstore')] });
  assert.deepEqual(finished, { code: 0, stdout: 'runs\n', stderr: '' });
});

test('below node_modules, where Node runs no TypeScript, the command fails with one line', async () => {
  const root = join(directory, 'lib/node_modules/plant-store');
  fs.cpSync(dirname(PLANTSTORE), join(root, 'bin'), { recursive: true });
  const { code, stderr } = await runCommand(['--version'], {}, { command: [join(root, 'bin/plantstore')] });
  assert.equal(code, 1);
  assert.match(stderr, /^plantstore: Node runs no TypeScript below node_modules, where [^\n]+; [^\n]+\n$/);
});

test('the command runs by absolute and relative links, by a link to a link, and by a link to its folder', async () => {
  const at = (name: string) => join(directory, name);
  fs.mkdirSync(at('bin'));
  fs.symlinkSync(PLANTSTORE, at('absolute'));
  fs.symlinkSync(relative(at('bin'), PLANTSTORE), at('bin/relative'));
  fs.symlinkSync('bin/relative', at('link of a link'));
  fs.symlinkSync(dirname(PLANTSTORE), at('folder'));
  for (const name of ['absolute', 'bin/relative', 'link of a link', 'folder/plantstore']) {
    const finished = await runCommand(['--version'], {}, { command: [at(name)] });
    assert.deepEqual(finished, { code: 0, stdout: `${version}\n`, stderr: '' }, name);
  }
});

test('NODE_OPTIONS that turn off TypeScript, as some test runners need, do not stop the command', async () => {
  for (const NODE_OPTIONS of ['--no-experimental-strip-types', '--no-strip-types']) {
    const args = ['import', '--garden', '--database', `sqlite:${directory}/options.db`];
    const { code, stderr } = await runCommand(args, { NODE_OPTIONS }, { command: [PLANTSTORE] });
    assert.deepEqual([code, stderr], [0, ''], NODE_OPTIONS);
  }
});
