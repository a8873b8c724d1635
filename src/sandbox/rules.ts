/** Which fault a request meets: the first rule of its sandbox that matches. */
import { parseJson } from '../contract/json.ts';
import type { Operation } from '../contract/operation.ts';
import { operations as plantOperations } from '../description/openapi.generated.ts';
import { Problem } from '../errors.ts';
import { LruCache } from '../lru-cache.ts';
import { KINDS, type PlannedFault } from './kinds.ts';
import { type Fault, type FaultRule, FaultRules } from './sandbox.generated.ts';
import type { Sandbox } from './sandbox.ts';

const NO_PARAMETERS = { status: 0, ms: 0, rate: 0 };

export function planFault(fault: Fault, isAfterCommit: boolean): PlannedFault {
  return { ...NO_PARAMETERS, ...fault, isAfterCommit };
}

/** Why none of these operations can have a fault; undefined if one can. */
export function reasonAgainst({ kind, ...given }: Fault, operations: readonly Operation[]): string | undefined {
  const { parameter } = KINDS[kind];
  if (parameter !== undefined && given[parameter] === undefined) return `the kind ${kind} needs ${parameter}`;
  const other = Object.keys(given).find((name) => name !== parameter);
  if (other !== undefined) return `the kind ${kind} takes no ${other}`;
  const { status } = given;
  if (status === undefined || operations.some((one) => declares(one, status))) return undefined;
  return `${operations.map(({ id }) => id).join(', ')} cannot respond with ${status}`;
}

export function declares({ responses }: Operation, status: number): boolean {
  return Object.hasOwn(responses, status);
}

export function problemOfRules(rules: FaultRules): Problem<40020> | undefined {
  const all = Object.values<Operation>(plantOperations);
  for (const [i, { fault, match }] of rules.entries()) {
    const meant = all.filter(({ id }) => match?.operation === undefined || match.operation === id);
    const why = reasonAgainst(fault, meant);
    if (why !== undefined) return new Problem(40020, `rule ${i + 1}: ${why}.`);
  }
  return undefined;
}

/** A rule, and what this process has counted of it. */
interface CountedRule {
  readonly rule: FaultRule;
  matched: number;
  applied: number;
  /** From 0 up to 1; the same from the same seed. */
  readonly random: () => number;
}

/** Of how many sandboxes rules are counted. */
const COUNTED = 10_000;

interface CountedRules {
  readonly text: string;
  readonly rules: readonly CountedRule[];
  /** Those that these took the place of. */
  readonly before: CountedRules | undefined;
}

/** `random`: where a rule names no seed. */
export function createRules(random: () => number) {
  const counted = new LruCache<CountedRules>(COUNTED);
  const rulesOf = ({ id, faults }: Sandbox): readonly CountedRule[] => {
    const known = counted.get(id);
    if (known?.text === faults) return known.rules;
    // A request that arrived under the rules before: the new ones are not to be counted anew.
    if (known?.before?.text === faults) return known.before.rules;
    const rules = readRules(faults).map((rule) => ({
      rule,
      matched: 0,
      applied: 0,
      random: rule.seed === undefined ? random : seeded(rule.seed),
    }));
    counted.set(id, { text: faults, rules, before: known && { ...known, before: undefined } });
    return rules;
  };
  return {
    choose(sandbox: Sandbox, operation: Operation, id: unknown): PlannedFault | undefined {
      if (sandbox.faults === '') return undefined;
      for (const one of rulesOf(sandbox)) {
        const { fault, match, when, skip = 0, times = Number.POSITIVE_INFINITY, share = 100 } = one.rule;
        const isMeant = match?.operation === undefined || match.operation === operation.id;
        const isPlant = match?.id === undefined || match.id === id;
        if (!isMeant || !isPlant || (fault.status !== undefined && !declares(operation, fault.status))) continue;
        one.matched++;
        if (one.matched <= skip || one.applied >= times || one.random() * 100 >= share) continue;
        one.applied++;
        return planFault(fault, when === 'afterCommit');
      }
      return undefined;
    },
  };
}

/** Rules as they are kept: behind the time at which they were set, so that the same rules set again count anew. */
export const keptRules = (rules: FaultRules, at: number): string =>
  rules.length === 0 ? '' : `${at} ${FaultRules.write(rules)}`;

export function readRules(kept: string): FaultRules {
  if (kept === '') return [];
  const json = parseJson(Buffer.from(kept.slice(kept.indexOf(' ') + 1)));
  if ('error' in json) throw new Error(`the rules of a sandbox cannot be read: ${json.error}`);
  const errors: string[] = [];
  const rules = FaultRules.read(json.value, json.written, '', errors);
  if (rules === undefined || errors.length > 0) throw new Error(`the rules of a sandbox are wrong: ${errors.join()}`);
  return rules;
}

/** Mulberry32: small, and good enough to choose by. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
