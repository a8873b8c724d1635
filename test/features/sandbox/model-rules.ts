/** Random fault rules, and a model of the requests that they apply to. */
import fc from 'fast-check';
import type { Fault, FaultRule } from '../../../src/features/sandbox/sandbox.generated.ts';
import { id } from '../../plants/model.ts';

export interface CountedRule {
  readonly rule: FaultRule;
  matched: number;
  applied: number;
}

const OPERATIONS = {
  listPlants: 'GET /plants',
  createPlant: 'POST /plants',
  getPlant: 'GET /plants/',
  replacePlant: 'PUT /plants/',
  deletePlant: 'DELETE /plants/',
} as const;
export type Operation = keyof typeof OPERATIONS;
const ALL = Object.keys(OPERATIONS) as Operation[];
/** A client can repeat these after their commit and gets the same response. */
const REPEATABLE = ['listPlants', 'createPlant', 'getPlant'] as const;
/** The operations that declare a status. Every operation declares the other statuses of the rules below. */
const DECLARING: Readonly<Record<number, readonly Operation[]>> = {
  404: ['getPlant', 'replacePlant', 'deletePlant'],
  412: ['replacePlant', 'deletePlant'],
};

/** The operation of a request to the Plant Store. Undefined: the path or its method is unknown. */
export function operationOf(method: string, target: string): Operation | undefined {
  const path = /^\/plants(?:\/|(?=\?|$))/.exec(target)?.[0];
  return ALL.find((operation) => OPERATIONS[operation] === `${method} ${path}`);
}

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom(404, 412, 429, 503).map((status): Fault => ({ kind: 'status', status })),
  fc.constantFrom<Fault>(
    { kind: 'proxy', status: 502 },
    { kind: 'proxy', status: 418, retry: 2, media: 'html', body: '<h1>ä</h1>' },
    { kind: 'reset' },
    { kind: 'delay', ms: 1 },
  ),
);
const times = fc.integer({ min: 1, max: 4 });
const optional = { skip: fc.constantFrom(0, 0, 1), share: fc.constant(100), seed: fc.constant(7) };
const matchOf = (operations: readonly Operation[], requiredKeys: 'operation'[] = []) =>
  fc.record({ operation: fc.constantFrom(...operations), id }, { requiredKeys, noNullPrototype: true });
const early = fc.record(
  { fault, match: matchOf(ALL), when: fc.constant('before' as const), times, ...optional },
  { requiredKeys: ['fault', 'times'], noNullPrototype: true },
);
const late = fc.record(
  { fault, match: matchOf(REPEATABLE, ['operation']), when: fc.constant('afterCommit' as const), times, ...optional },
  { requiredKeys: ['fault', 'match', 'when', 'times'], noNullPrototype: true },
);
const endless = fc.record(
  { fault, match: matchOf(ALL), ...optional },
  { requiredKeys: ['fault'], noNullPrototype: true },
);
/** Some of these rules are refused, because no operation that they match declares the status. */
export const rules = fc.array(fc.oneof(early, late, endless) as fc.Arbitrary<FaultRule>, { maxLength: 4 });

const canFail = (operation: Operation, { kind, status = 0 }: Fault) =>
  kind !== 'status' || (DECLARING[status] ?? ALL).includes(operation);

export function isPossible({ fault, match }: FaultRule): boolean {
  // A request for a list contains no plant.
  const meant = match?.id === undefined ? ALL : ALL.filter((one) => one !== 'listPlants');
  return meant.some((one) => canFail(one, fault) && (match?.operation === undefined || match.operation === one));
}

/** Returns the first rule that matches a request and applies, and counts. */
export function choose(all: readonly CountedRule[], operation: Operation, id: unknown): CountedRule | undefined {
  for (const one of all) {
    const { fault, match = {}, skip = 0, times = Infinity } = one.rule;
    const isMatch = [undefined, operation].includes(match.operation as Operation) && [undefined, id].includes(match.id);
    if (!isMatch || !canFail(operation, fault)) continue;
    one.matched++;
    if (one.matched <= skip || one.applied >= times) continue;
    one.applied++;
    return one;
  }
  return undefined;
}
