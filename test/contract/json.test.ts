import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseJson } from '../../src/contract/json.ts';

const parsed = (text: string | Buffer) => {
  const json = parseJson(Buffer.from(text));
  assert.ok(!('error' in json), 'error' in json ? json.error : '');
  return json;
};
const errorOf = (text: string | Buffer) => {
  const json = parseJson(Buffer.from(text));
  assert.ok('error' in json);
  return json.error;
};

describe('reading JSON', () => {
  test('bytes that are not UTF-8 are refused, not replaced', () => {
    assert.equal(errorOf(Buffer.from([0x22, 0xff, 0x22])), 'it is not UTF-8');
    assert.equal(errorOf(Buffer.from([0x22, 0xc3, 0x22])), 'it is not UTF-8');
  });

  test('the error names a byte order mark', () => {
    assert.equal(errorOf('\uFEFF{}'), 'it begins with a byte order mark');
  });

  test('the report of a syntax error repeats nothing of the text', () => {
    for (const text of ['{"password": hunter2}', '{"a": "hunter2', 'hunter2', '']) {
      assert.doesNotMatch(errorOf(text), /hunter2/);
    }
  });

  test('the text cannot change the reported place of a syntax error', () => {
    for (const text of ['x at position 7', 'x: Unexpected end of JSON input']) {
      assert.deepEqual(parseJson(Buffer.from(text)), { error: 'there is a syntax error' });
    }
  });

  test('the place of a syntax error is a line and a column in characters, both counted from 1', () => {
    const at = (text: string) => {
      const json = parseJson(Buffer.from(text));
      return 'place' in json ? json.place : undefined;
    };
    assert.deepEqual(at('{"a": "🌵🌵",}'), { line: 1, column: 12 });
    assert.deepEqual(at('{\n  "a": 1,\n  "b": 2,\n}'), { line: 4, column: 1 });
    assert.deepEqual(at('[\r\n  1,'), { line: 2, column: 5 });
    assert.equal(errorOf('[1,'), 'it ends too early');
  });

  test('the source text of numbers is available exactly if a double may not represent one of them', () => {
    for (const text of ['1.0', '{"id": 1e3}', '[1, 2E0]', '9007199254740993', '-12345678901234567']) {
      assert.notEqual(parsed(text).written, undefined, text);
    }
    for (const text of ['{"id": 12, "name": "e.E"}', '[-7]', '8999999999999999']) {
      assert.equal(parsed(text).written, undefined, text);
    }
  });

  test('the source text of every number is available, with any strings around it', () => {
    const text = String.raw`{"a": 1.20e1, "b": "7 \" 8 \\", "c": [-0, {"d": 9007199254740993}], "e\"5": null}`;
    assert.deepEqual(parsed(text).written, {
      a: '1.20e1',
      b: '7 " 8 \\',
      c: ['-0', { d: '9007199254740993' }],
      'e"5': null,
    });
  });

  test('the last of two members with the same name gives the value and the source', () => {
    const json = parsed('{"id": 1.5, "id": 2.0}');
    assert.deepEqual([json.value, json.written], [{ id: 2 }, { id: '2.0' }]);
  });

  test('the deepest possible nesting neither overflows nor slows the sources', () => {
    const depth = 30_000;
    const text = `{"id": 1.0, "deep": ${'['.repeat(depth)}${']'.repeat(depth)}}`;
    assert.equal((parsed(text).written as { id: string }).id, '1.0');
  });
});

test('the source of a number is found even after millions of escapes', () => {
  const json = parseJson(Buffer.from(`{"note":"${'\\"'.repeat(5_000_000)}","id":1.0}`));
  assert.ok('value' in json);
  assert.equal((json.written as { id: string }).id, '1.0');
});
