/** The library in a program that Node restarts when a file changes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createDirectory } from '../harness/directory.ts';

const LIBRARY = new URL('../../lab/index.ts', import.meta.url);
const PROGRAM = `
  import { startPlantStore } from ${JSON.stringify(LIBRARY.href)};
  const { url, token, close } = await startPlantStore({ plants: 'garden' });
  const headers = { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ id: 4711, name: 'Aloe vera' });
  const { status } = await fetch(url + '/plants', { method: 'POST', headers, body });
  await close();
  console.log('status', status);`;

test('a service works with node --watch', async () => {
  using directory = createDirectory();
  writeFileSync(directory.at('program.mjs'), PROGRAM);
  const child = spawn(process.execPath, ['--watch', directory.at('program.mjs')]);
  let printed = '';
  await new Promise<void>((resolve) => {
    const read = (chunk: Buffer) => {
      printed += chunk;
      if (/(?:Completed|Failed) running/.test(printed)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
  });
  child.kill();
  await once(child, 'close');
  assert.match(printed, /^status 200$/m);
});
