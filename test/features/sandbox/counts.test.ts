/** The counts of rules of many sandboxes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../../../src/contract/openapi.generated.ts';
import { createRules, writeRules } from '../../../src/features/sandbox/faults/rules.ts';
import type { FaultRules } from '../../../src/features/sandbox/sandbox.generated.ts';
import type { Sandbox } from '../../../src/features/sandbox/sandbox-records.ts';

/** More than the service allows for one address, also for a /48 network of IPv6. */
const SANDBOXES = 500;
const LONG: FaultRules = Array.from({ length: 15 }, () => ({
  fault: { kind: 'proxy', status: 502, body: 'x'.repeat(1_000) },
  times: 1,
}));

test('the counts of a sandbox stay, although one address has many sandboxes with long rules', () => {
  const rules = createRules(Math.random);
  const terms = { address: '', createdAt: 0, expiresAt: 1, hash: 'hash', plants: 'none', store: '~' } as const;
  const withRules = (id: string, own: FaultRules): Sandbox => ({ ...terms, id, faults: writeRules(own) });
  const exchange = { operation: operations.listPlants, place: 1 };
  const choose = (sandbox: Sandbox) => rules.choose(sandbox, exchange, undefined, false)?.kind;
  const one = withRules('one', [{ fault: { kind: 'reset' }, times: 1 }]);
  assert.deepEqual([choose(one), choose(one)], ['reset', undefined]);
  // Each sandbox sets its rules twice. The service keeps the counts of the rules before, for requests under way.
  for (let i = 0; i < 2 * SANDBOXES; i++) choose(withRules(`other-${i >> 1}`, LONG));
  assert.equal(choose(one), undefined);
  assert.deepEqual(rules.counts(one)[0]?.matched, 3);
});
