import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceFields } from '../../src/http/request.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test('the ids of a traceparent are logged, also those of a future version with further fields', () => {
  const ids = `${traceId}-${spanId}-01`;
  for (const one of [`00-${ids}`, `01-${ids}`, `cc-${ids}-what`]) {
    assert.deepEqual(traceFields(one), { traceId, spanId }, one);
  }
  const withoutIds = [`00-${'0'.repeat(32)}-${spanId}-01`, `00-${traceId}-${'0'.repeat(16)}-01`];
  const others = [undefined, '', `00-${ids}-what`, `01-${ids}.what`, `ff-${ids}`, `00-${ids}, 00-${ids}`];
  for (const one of [...withoutIds, ...others, `00-${traceId.toUpperCase()}-${spanId}-01`]) {
    assert.deepEqual(traceFields(one), {}, `${one} is not well-formed`);
  }
});
