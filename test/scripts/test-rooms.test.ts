/** Every test is run by `npm test`, by `npm run test:lab`, or by a command of its own. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LAB, LONG, OUTSIDE, ROOMS } from '../../scripts/test-rooms.ts';

const FILES = globSync('{test,lab/test}/**/*.test.ts');
const isIn = (rooms: readonly string[], file: string) => rooms.filter((room) => file.startsWith(`${room}/`)).length;

test('every file of tests is in exactly one room, and every room has tests', () => {
  assert.ok(FILES.length > 100);
  for (const file of FILES) {
    assert.equal(isIn([...ROOMS, ...LAB, ...OUTSIDE], file), 1, file);
  }
  for (const room of [...ROOMS, ...LAB, ...OUTSIDE])
    assert.ok(
      FILES.some((file) => isIn([room], file) === 1),
      room,
    );
});

test('a room outside npm test has a script in package.json, which .ci/run calls', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Record<string, string> };
  const ci = readFileSync('.ci/run', 'utf8');
  for (const room of OUTSIDE) {
    const name = room === 'lab/test/gradings' ? 'test:grade' : room.replace('test/', 'test:');
    assert.ok(scripts[name] !== undefined, name);
    assert.ok(ci.includes(` npm run ${name}\n`), name);
  }
});

test('npm run test:long runs exactly the files that have further cases, and .ci/run calls it', () => {
  const isLong = (file: string) => /from '(?:\.\.\/)+(?:test\/)?harness\/long\.ts'/.test(readFileSync(file, 'utf8'));
  assert.deepEqual([...LONG].sort(), FILES.filter(isLong).sort());
  for (const file of LONG) assert.equal(isIn([...ROOMS, ...LAB], file), 1, file);
  const ci = readFileSync('.ci/run', 'utf8');
  for (const script of ['npm test', 'npm run test:lab', 'npm run test:long'])
    assert.ok(ci.includes(` ${script}\n`), script);
});
