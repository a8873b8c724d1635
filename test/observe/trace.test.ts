import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceFields } from '../../src/http/request.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test('the ids of a traceparent are logged, even of a future version, which may say more', () => {
  for (const traceparent of [
    `00-${traceId}-${spanId}-01`,
    `01-${traceId}-${spanId}-01`,
    `cc-${traceId}-${spanId}-01-what`,
  ]) {
    assert.deepEqual(traceFields(traceparent), { traceId, spanId }, traceparent);
  }
});

test('a traceparent that is not well-formed is not logged', () => {
  for (const traceparent of [
    undefined,
    '',
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01-what`,
    `01-${traceId}-${spanId}-01.what`,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ]) {
    assert.deepEqual(traceFields(traceparent), {}, `${traceparent}`);
  }
});
