import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../../src/http/exchange.ts';
import { staticPage } from '../../src/http/static-page.ts';

/** A copy and a hash of these bytes take tens of milliseconds. */
const LONG = Buffer.alloc(32 * 2 ** 20);

test('only the first request for a page costs time for each of its bytes', async () => {
  const page = staticPage({ type: 'text/plain', make: () => LONG });
  const timed = async () => {
    const began = performance.now();
    const response = await page({ request: { headers: {} } } as Exchange);
    return { response, taken: performance.now() - began };
  };
  const first = await timed();
  const others = [await timed(), await timed(), await timed()];
  for (const { response } of others) assert.deepEqual(response.headers, first.response.headers);
  const fastest = Math.min(...others.map(({ taken }) => taken));
  assert.ok(fastest < first.taken / 4, `the first took ${first.taken} ms, and another took ${fastest} ms`);
});
