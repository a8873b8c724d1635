/** The cache keeps few values, and few heavy ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LruCache } from '../../src/util/lru-cache.ts';

const KEYS = Array.from({ length: 100 }, (_, i) => `key ${i}`);
const keptIn = (cache: LruCache<number>) => KEYS.filter((key) => cache.get(key) !== undefined);

test('a cache keeps the most recently used values, and never more than its size', () => {
  const cache = new LruCache<number>(20);
  for (const key of KEYS) {
    cache.set(key, 1);
    cache.get('key 0');
  }
  const kept = keptIn(cache);
  assert.ok(kept.length >= 10 && kept.length <= 20, String(kept.length));
  assert.ok(kept.includes('key 0') && kept.includes('key 99'));
});

test('a cache with weights keeps the most recently used values, and never more than the largest sum', () => {
  const cache = new LruCache<number>(100, { most: 20, of: (weight) => weight });
  for (const key of KEYS.slice(0, 30)) {
    cache.set(key, 4);
    cache.get('key 0');
    assert.equal(cache.get(key), 4);
  }
  const sum = 4 * keptIn(cache).length;
  assert.ok(sum >= 8 && sum <= 20, String(sum));
  assert.equal(cache.get('key 0'), 4);
});

test('a cache with weights counts a value that replaces another, and does not keep a value that is too heavy', () => {
  const cache = new LruCache<number>(100, { most: 20, of: (weight) => weight });
  for (const key of KEYS.slice(0, 10)) cache.set(key, 1);
  for (const key of KEYS.slice(0, 10)) cache.set(key, 9);
  assert.ok(keptIn(cache).length <= 2);
  cache.set('key 9', 11);
  assert.equal(cache.get('key 9'), undefined);
});
