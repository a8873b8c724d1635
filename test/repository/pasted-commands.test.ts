/**
 * What a reader can paste: the command is `bin/plantstore`, from the folder of a clone, and an old Node and an old curl
 * are enough.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { marked } from 'marked';

/** A line whose command is the bare name, also behind `|`, `;`, `&&` or `$(`. */
const BARE = /(?:^|[|;&(]) *plantstore [a-z-]/m;
/** On a server with the executable, the name is on the path: the commands run there as the user of the service. */
const INSTALLED = /sudo -u plantstore plantstore /;

/** What curl 7.81 of Ubuntu 22.04 does not know, in one command with its continued lines. */
const NEW_CURL = /\bcurl (?:\\\n|[^\n])*?(?: --json |%header\{)/;

const pages = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'examples/**/*.md']);
const blocks = pages.flatMap((page) =>
  marked.lexer(readFileSync(page, 'utf8')).flatMap((token) => {
    // A block without a language can be pasted too. A block of the kind console begins with the prompt.
    if (token.type !== 'code' || !['', 'sh'].includes(token.lang ?? '')) return [];
    return [{ page, text: String(token.text) }];
  }),
);

test('every block of commands in the documentation runs the command as bin/plantstore', () => {
  assert.ok(blocks.filter(({ text }) => text.includes('bin/plantstore')).length > 25);
  const bare = blocks.filter(({ text }) => BARE.test(text) && !INSTALLED.test(text));
  assert.deepEqual(bare, []);
});

test('every block of commands in the documentation runs TypeScript with the Node of the repository', () => {
  const bare = blocks.filter(({ text }) => /^node (?:lab|scripts|src)\//m.test(text));
  assert.deepEqual(bare, []);
});

test('no command of the documentation needs a new curl', () => {
  assert.ok(blocks.filter(({ text }) => /\bcurl /.test(text)).length > 100);
  assert.deepEqual(
    blocks.filter(({ text }) => NEW_CURL.test(text)),
    [],
  );
});
