/** The functions that make text of others safe to print. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable, printableJson, printableLines } from '../../src/util/printable.ts';

/** Characters that a terminal obeys, or that change how a reader sees the rest of a line. */
const UNSAFE = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCodePoint(code)),
  ...Array.from({ length: 0x21 }, (_, code) => String.fromCodePoint(0x7f + code)),
  ...['\u061c', '\u200e', '\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069', '\ud800', '\udfff'],
];
const SAFE = 'Aloe vera, Ålöe, 芦荟, צבר, 🌵👩‍🌾, <b>&amp;\\u001b';

test('a printable text has none of the characters that a terminal obeys, and one line', () => {
  for (const character of UNSAFE) assert.match(printable(`a${character}b`), /^a[ \ufffd]b$/, escape(character));
  assert.equal(printable('one\r\n\ttwo'), 'one two');
  assert.equal(printable(`\u001b]0;x\u0007${SAFE}`), `\ufffd]0;x\ufffd${SAFE}`);
});

test('printable lines keep only their line feeds', () => {
  for (const character of UNSAFE.filter((one) => one !== '\n')) {
    assert.equal(printableLines(`a${character}\nb`), character === '\r' ? 'a\nb' : 'a\ufffd\nb', escape(character));
  }
  assert.equal(printableLines(SAFE), SAFE);
});

test('printable JSON has the same value', () => {
  for (const character of [...UNSAFE, SAFE]) {
    const json = printableJson(JSON.stringify({ [character]: character }, null, 2));
    assert.deepEqual(JSON.parse(json), { [character]: character });
    assert.equal(printableLines(json), json, escape(character));
  }
});
