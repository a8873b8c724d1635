import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeen } from '../../bench/load.ts';

const seen = { requests: 100, seconds: 1.01, p50: 0.5, p99: 2, p999: 3, max: 4 };

test('what wrk saw is the line of JSON among what it says', () => {
  const output = `Running 1s test @ http://127.0.0.1:1\n${JSON.stringify({ ...seen, errors: 0, refused: 0 })}\n`;
  assert.deepEqual(readSeen(output), seen);
});

test('a run with a request that failed is discarded', () => {
  const output = (what: object) => JSON.stringify({ ...seen, errors: 0, refused: 0, ...what });
  assert.throws(() => readSeen(output({ errors: 1 })), /1 requests were not answered/);
  assert.throws(() => readSeen(output({ refused: 2 })), /2 were refused/);
  assert.throws(() => readSeen(output({ requests: 0 })), /no request was answered/);
  assert.throws(() => readSeen('unable to connect'), /unable to connect/);
});
