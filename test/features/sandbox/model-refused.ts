/** Requests of sandbox.yaml that are refused in every state, with the error of each. */
import fc from 'fast-check';
import type { Refused } from '../../plants/model.ts';

const STATUS = { kind: 'status', status: 503 };
const proxy = (length: number) => ({ fault: { kind: 'proxy', status: 502, body: 'a'.repeat(length) } });

/** Each is no FaultRule, or no operation can have its fault. */
const WRONG_RULES: Readonly<Record<number, readonly object[]>> = {
  40005: [
    {},
    { fault: { kind: 'rest' } },
    { fault: { kind: 'status', status: 200 } },
    { fault: { kind: 'status', status: '503' } },
    { fault: { kind: 'delay', ms: 30_001 } },
    { fault: STATUS, wen: 'afterCommit' },
    { fault: STATUS, when: 'after' },
    { fault: STATUS, skip: -1 },
    { fault: STATUS, times: 0 },
    { fault: STATUS, share: 101 },
    { fault: STATUS, seed: 2 ** 31 },
    { fault: STATUS, match: { operation: 'getSandbox' } },
    { fault: STATUS, match: { id: 2n ** 63n } },
    { fault: STATUS, match: { ids: 1 } },
    proxy(1_025),
  ],
  40020: [
    { fault: { kind: 'status' } },
    { fault: { kind: 'status', status: 418 } },
    { fault: { kind: 'status', status: 404 }, match: { operation: 'createPlant' } },
    { fault: { kind: 'reset', ms: 1 } },
    { fault: { kind: 'race' } },
    { fault: { kind: 'race', other: 'delete' }, match: { operation: 'listPlants' } },
  ],
};
const WRONG_TERMS = [null, [], { plant: 'garden' }, { plants: 'Garden' }, { ttl: 0 }, { ttl: 2 ** 31 }, { ttl: '1' }];

const putFaults = (error: number, call: Omit<Refused, 'method' | 'target' | 'error'>): Refused => ({
  method: 'PUT',
  target: '/sandbox/faults',
  error,
  ...call,
});
const createSandbox = (error: number, body: unknown): Refused => ({
  method: 'POST',
  target: '/sandboxes',
  token: null,
  error,
  body,
});
const request = (error: number, method: string, target: string): Refused => ({ method, target, error });

export const CONTROLS = [
  ...['GET /sandbox', 'DELETE /sandbox', 'POST /sandbox/reset', 'POST /sandbox/snapshots', 'GET /sandbox/faults'],
  ...['PUT /sandbox/faults', 'DELETE /sandbox/faults', 'GET /sandbox/faults/counts', 'GET /sandbox/plants'],
  ...['GET /sandbox/requests', 'DELETE /sandbox/requests'],
].map((line) => {
  const [method = '', target = ''] = line.split(' ');
  return { method, target };
});

export const refusedControl: fc.Arbitrary<Refused> = fc.oneof(
  fc.constantFrom(
    ...[40005, 40020].flatMap((error) =>
      (WRONG_RULES[error] ?? []).map((wrong) => putFaults(error, { body: [{ fault: STATUS }, wrong] })),
    ),
  ),
  fc.constantFrom(
    putFaults(40001, {}),
    putFaults(40002, { body: '[]', headers: { 'Content-Type': 'text/plain' } }),
    putFaults(40003, { body: `[${' '.repeat(65_536)}]` }),
    putFaults(40004, { body: '[{]' }),
    putFaults(40005, { body: {} }),
    putFaults(40005, { body: Array.from({ length: 21 }, () => ({ fault: STATUS })) }),
    putFaults(40020, { body: Array.from({ length: 17 }, () => proxy(1_000)) }),
  ),
  fc.constantFrom(createSandbox(40004, '{'), ...WRONG_TERMS.map((terms) => createSandbox(40005, terms))),
  fc.constantFrom(
    ...['0', '1.0', '-1', 'x', '', '2147483648', '1&snapshot=1'].map((wrong) =>
      request(40006, 'POST', `/sandbox/reset?snapshot=${wrong}`),
    ),
    ...['-1', '1.5', 'x', '', '2147483648'].map((wrong) => request(40006, 'GET', `/sandbox/requests?after=${wrong}`)),
  ),
  fc.constantFrom(
    ...['/sandbox/', '/sandbox/fault', '/sandboxes/1'].map((target) => request(40400, 'GET', target)),
    ...['/sandboxes', '/sandbox/reset', '/sandbox/snapshots'].map((target) => request(40500, 'GET', target)),
    ...['/sandbox', '/sandbox/faults', '/sandbox/plants'].map((target) => request(40500, 'PATCH', target)),
  ),
  // The credential comes before the input.
  fc.constantFrom(
    ...CONTROLS.flatMap((control) => [
      { ...control, token: null, error: 40100 },
      { ...control, token: 'pss_wrong', error: 40101 },
    ]),
  ),
);
