/** No hand-written line of TypeScript has more than 120 characters. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../harness/directory.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/long-lines.ts', import.meta.url));

const check = (cwd?: string) => spawnSync(process.execPath, [SCRIPT], { cwd, encoding: 'utf8' });

test('npm run lint looks for long lines, and finds none', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Record<string, string> };
  assert.match(scripts['lint'] ?? '', /node scripts\/long-lines\.ts && /);
  const { status, stderr } = check();
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
});

test('a line of more than 120 characters fails with its file and its number, unless it is generated', () => {
  using place = createDirectory();
  const write = (name: string, line: string) => writeFileSync(join(place.path, name), `// One.\n${line}\n`);
  execFileSync('git', ['init', '-q'], { cwd: place.path });
  write('long.ts', 'a'.repeat(121));
  write('long.generated.ts', 'a'.repeat(121));
  write('wide.ts', '🪴'.repeat(120));
  write('removed.ts', '');
  execFileSync('git', ['add', '.'], { cwd: place.path });
  write('untracked.ts', '蘭'.repeat(130));
  rmSync(join(place.path, 'removed.ts'));

  const { status, stderr } = check(place.path);
  assert.equal(status, 1);
  assert.deepEqual(stderr.split('\n').sort(), [
    '',
    'long.ts:2 has 121 characters. At most 120 are allowed: break the line.',
    'untracked.ts:2 has 130 characters. At most 120 are allowed: break the line.',
  ]);
});
