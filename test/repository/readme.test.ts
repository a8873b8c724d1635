/** What the README promises on its first screen: links that lead somewhere, and the output of its first command. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';
import { createDirectory } from '../harness/directory.ts';
import { runCommand } from '../harness/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const README = readFileSync(`${ROOT}README.md`, 'utf8');

test('each link of the README leads to a file, and to a heading in it', () => {
  const links = [...README.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
  assert.ok(links.length > 30);
  for (const [, file, heading] of links) {
    const path = file || 'README.md';
    assert.ok(existsSync(ROOT + path), path);
    if (heading === undefined) continue;
    new Marked(gfmHeadingId()).parse(readFileSync(ROOT + path, 'utf8'));
    assert.ok(
      getHeadingList().some(({ id }) => id === heading),
      `${path}#${heading}`,
    );
  }
});

test('the README shows what its first grading prints', async () => {
  const [, shown = ''] = /```text\n(.*?)```/s.exec(README) ?? [];
  const [, command = ''] = /`bin\/plantstore (grade -- curl [^`]+)`/.exec(README) ?? [];
  const [, name = ''] = /^ {2}([\w-]+) /m.exec(shown) ?? [];
  using place = createDirectory();
  // Without a shell, the quotes are not removed.
  const args = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const [grade = '', ...others] = args;
  const output = ['--output', place.at('grade')];
  const { code, stdout } = await runCommand([grade, '--only', name, ...output, ...others]);
  assert.equal(code, 0);
  assert.ok(stdout.includes(shown), stdout);
});
