/** The lint refuses `instanceof` with a built-in class, which fails in test runners that have classes of their own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { createDirectory } from '../harness/directory.ts';

const RULE = './scripts/no-built-in-instanceof.grit';

test('npm run lint has the rule', () => {
  assert.deepEqual(JSON.parse(readFileSync('biome.json', 'utf8')).plugins, [RULE]);
});

test('instanceof is refused with a built-in class, and allowed with a class of the program', () => {
  using place = createDirectory();
  const check = (line: string) => {
    writeFileSync(place.at('biome.json'), JSON.stringify({ plugins: [resolve(RULE)] }));
    writeFileSync(place.at('one.ts'), `export const isOne = (value: unknown) => ${line};\n`);
    const biome = resolve('node_modules/.bin/biome');
    const { stderr } = spawnSync(biome, ['lint', '--colors=off', 'one.ts'], { cwd: place.path, encoding: 'utf8' });
    return stderr.includes('instanceof does not recognise built-in classes of another realm');
  };
  const refused = [
    'value instanceof Error',
    '!(value instanceof Uint8Array)',
    '1 > 0 && value instanceof DOMException',
  ];
  for (const line of refused) assert.equal(check(line), true, line);
  for (const line of ['value instanceof StartupError', 'Error.isError(value)']) assert.equal(check(line), false, line);
});
