/** The rules of a sandbox. The first rule that matches a request and applies chooses its fault. */
import { LRUCache } from 'lru-cache';
import { parseJson } from '../../../contract/json.ts';
import type { Delivery } from '../../../feature.ts';
import type { Matched } from '../../../http/exchange.ts';
import type { PlantId } from '../../../plants/plant.ts';
import { createRandom } from '../../../util/random.ts';
import { randomName } from '../../../util/random-name.ts';
import { type Fault, type FaultCounts, type FaultRule, FaultRules } from '../sandbox.generated.ts';
import type { Sandbox } from '../sandbox-records.ts';
import type { PlannedFault } from './fault-kind.ts';
import { KINDS } from './fault-kinds.generated.ts';
import { isForDeliveries, reaches, reasonAgainstOne } from './possible-faults.ts';

/** How often a rule matched and applied in this process. */
interface RuleCount {
  matched: number;
  applied: number;
  /** Returns a number from 0 up to 1. The same seed gives the same numbers. */
  readonly random: () => number;
}

/**
 * The most rules that this process counts. The sandboxes of one address have few of them, so no visitor can restart the
 * counts of others.
 */
const COUNTED = 100_000;
/** The most bytes that rules take in memory, and how many bytes a character of their text takes. */
const RULES_MEMORY = 16_777_216;
const BYTES_A_CHARACTER = 8;

interface CountedRules {
  readonly revision: string;
  readonly counts: readonly RuleCount[];
  /** The rules that these replaced. */
  readonly before: CountedRules | undefined;
}

type Place = Pick<Matched, 'operation' | 'place'>;

export interface Rules {
  /** The fault for a request; undefined if no rule applies. `id`: the plant's. `isStream`: its response is a stream. */
  choose(sandbox: Sandbox, exchange: Place, id: PlantId | undefined, isStream: boolean): PlannedFault | undefined;
  /** The fault for an attempt to send a message of a webhook; undefined if no rule applies. */
  chooseForDelivery(sandbox: Sandbox, delivery: Delivery): Fault | undefined;
  /** How often each rule matched and applied in this process, in the order of the rules. */
  counts(sandbox: Sandbox): FaultCounts;
  /** Whether a response closes its connection, since a rule with requests left waits for a new one. */
  closes(sandbox: Sandbox): boolean;
}

/** `random` is used for rules without a seed. */
export function createRules(random: () => number): Rules {
  const counted = new LRUCache<string, CountedRules>({
    maxSize: COUNTED,
    sizeCalculation: ({ counts, before }) => counts.length + (before?.counts.length ?? 0),
  });
  /** The keys are revisions. */
  const cached = new LRUCache<string, FaultRules>({ maxSize: RULES_MEMORY });
  const countsOf = (id: string, revision: string, rules: FaultRules): readonly RuleCount[] => {
    const known = counted.get(id);
    if (known?.revision === revision) return known.counts;
    // A request that arrived before the rules were replaced must not restart the counts of the new rules.
    if (known?.before?.revision === revision) return known.before.counts;
    const randomOf = ({ seed }: FaultRule) => (seed === undefined ? random : createRandom(seed));
    const counts = rules.map((rule) => ({ matched: 0, applied: 0, random: randomOf(rule) }));
    counted.set(id, { revision, counts, before: known && { ...known, before: undefined } });
    return counts;
  };
  const cache = (revision: string, faults: string): FaultRules => {
    const rules = readRules(faults);
    cached.set(revision, rules, { size: BYTES_A_CHARACTER * faults.length });
    return rules;
  };
  const rulesOf = ({ id, faults }: Sandbox) => {
    const revision = faults.slice(0, faults.indexOf(' '));
    const rules = cached.get(revision) ?? cache(revision, faults);
    const counts = countsOf(id, revision, rules);
    return rules.map((rule, i) => ({ rule, count: counts[i] as RuleCount }));
  };
  /** The first rule that matches and applies. `isReached`: whether the fault of a rule that matches can happen. */
  const chooseRule = (
    sandbox: Sandbox,
    matches: (rule: FaultRule) => boolean,
    isReached: (fault: Fault) => boolean,
  ): FaultRule | undefined => {
    if (sandbox.faults === '') return undefined;
    for (const { rule, count } of rulesOf(sandbox)) {
      const { fault, skip = 0, times = Number.POSITIVE_INFINITY, share = 100 } = rule;
      if (!matches(rule)) continue;
      count.matched++;
      if (count.matched <= skip || count.applied >= times || !isReached(fault)) continue;
      if (count.random() * 100 >= share) continue;
      count.applied++;
      return rule;
    }
    return undefined;
  };
  return {
    choose(sandbox, { operation, place }, id, isStream) {
      const matches = (rule: FaultRule) => {
        const { fault, match } = rule;
        const isMeant = match?.operation === undefined || match.operation === operation.id;
        const isPlant = match?.id === undefined || match.id === id;
        return (
          isMeant && isPlant && !isForDeliveries(rule) && reasonAgainstOne(operation, fault, isStream) === undefined
        );
      };
      const rule = chooseRule(sandbox, matches, (fault) => reaches(fault, place === 1));
      return rule && { ...rule.fault, isAfterCommit: rule.when === 'afterCommit' };
    },
    chooseForDelivery(sandbox, delivery) {
      const { type } = delivery.message;
      const matches = (rule: FaultRule) => {
        const { message = 'any' } = rule.match ?? {};
        return isForDeliveries(rule) && (message === 'any' || message === type);
      };
      return chooseRule(sandbox, matches, (fault) => KINDS[fault.kind].canDeliver?.(delivery) ?? true)?.fault;
    },
    counts(sandbox) {
      const counted = sandbox.faults === '' ? [] : rulesOf(sandbox);
      return counted.map(({ rule, count: { matched, applied } }) => ({ rule, matched, applied }));
    },
    closes(sandbox) {
      if (sandbox.faults === '') return false;
      return rulesOf(sandbox).some(
        ({ rule, count }) => !reaches(rule.fault, false) && count.applied < (rule.times ?? Number.POSITIVE_INFINITY),
      );
    },
  };
}

/** A revision and the rules as text. Every set of rules has its own revision, so equal rules start to count again. */
export const writeRules = (rules: FaultRules): string =>
  rules.length === 0 ? '' : `${randomName(8)} ${FaultRules.write(rules)}`;

export function readRules(kept: string): FaultRules {
  if (kept === '') return [];
  const json = parseJson(Buffer.from(kept.slice(kept.indexOf(' ') + 1)));
  if ('error' in json) throw new Error(`cannot read the rules of a sandbox: ${json.error}`);
  const errors: string[] = [];
  const rules = FaultRules.read(json.value, json.written, '', errors);
  if (rules === undefined || errors.length > 0) throw new Error(`the rules of a sandbox are wrong: ${errors.join()}`);
  return rules;
}
