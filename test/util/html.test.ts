/** Templates of HTML. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html, lines, markup } from '../../src/util/html.ts';

const HOSTILE = `<script>"&'`;
const ESCAPED = '&lt;script&gt;&quot;&amp;&#39;';

test('a template escapes each value, in lists too, and only markup stays markup', () => {
  assert.equal(html`<p title="${HOSTILE}">${HOSTILE}${1}</p>`.toString(), `<p title="${ESCAPED}">${ESCAPED}1</p>`);
  assert.equal(html`${[HOSTILE, html`<b>${HOSTILE}</b>`]}`.toString(), `${ESCAPED}<b>${ESCAPED}</b>`);
  assert.equal(html`${markup('<i>')}`.toString(), '<i>');
  assert.equal(lines([html`<a>`, HOSTILE]).toString(), `<a>\n${ESCAPED}`);
});

test('a value that is no markup is escaped, whatever its type promises', () => {
  const fromFile = { toString: () => HOSTILE, '#markup': HOSTILE } as never;
  assert.equal(html`${fromFile}`.toString(), ESCAPED);
});

test('a value loses the characters that HTML forbids, and those that a terminal would obey', () => {
  const hostile = 'a\u0000b\u001b[31mc\u0085d\ud800e\u202ef\tg\nh';
  assert.equal(html`${hostile}`.toString(), 'a\ufffdb\ufffd[31mc\ufffdd\ufffde\ufffdf g\nh');
});
