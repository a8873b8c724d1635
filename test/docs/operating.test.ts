import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const ROOT = new URL('../../', import.meta.url);
const guide = readFileSync(new URL('docs/operating.md', ROOT), 'utf8');
const rows = guide.split('\n').filter((line) => /^\| API\d+ /.test(line));

test('the security checklist has every line of the OWASP API Security Top 10, each with tests that are there', () => {
  assert.deepEqual(
    rows.map((row) => /API\d+/.exec(row)?.[0]),
    Array.from({ length: 10 }, (_, i) => `API${i + 1}`),
  );
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[^`*]+|[\w-]+\.test\.ts)`/g)].map(([, name]) => name as string);
    assert.notEqual(named.length, 0, row);
    let folder = '';
    for (const name of named) {
      if (name.includes('/')) folder = name.slice(0, name.lastIndexOf('/') + 1);
      const path = name.includes('/') ? name : folder + name;
      assert.ok(existsSync(new URL(path, ROOT)), `${path} is not there`);
    }
  }
});

test('every file of the documentation that the operating guide links to is there', () => {
  const links = [...guide.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path as string);
  assert.notEqual(links.length, 0);
  for (const path of links) assert.ok(existsSync(new URL(`docs/${path}`, ROOT)), `${path} is not there`);
});
