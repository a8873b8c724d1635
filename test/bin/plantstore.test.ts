/** The command as it is called: by its path, or by what a package manager puts on the path. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../harness/process.ts';

const PLANTSTORE = new URL('../../bin/plantstore', import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), 'plantstore-bin-'));
after(() => rmSync(directory, { recursive: true }));

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
