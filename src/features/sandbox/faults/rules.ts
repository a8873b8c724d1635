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

/** A rule, and how often it matched and applied in this process. */
interface CountedRule {
  readonly rule: FaultRule;
  matched: number;
  applied: number;
  /** Returns a number from 0 up to 1. The same seed gives the same numbers. */
  readonly random: () => number;
}

/** The most sandboxes for which this process counts. */
const COUNTED = 10_000;
/** The most bytes that their rules take in memory, and how many bytes a character of the rules' text takes. */
const RULES_MEMORY = 16_777_216;
const BYTES_A_CHARACTER = 8;

interface CountedRules {
  readonly text: string;
  readonly rules: readonly CountedRule[];
  /** The rules that these replaced. */
  readonly before: CountedRules | undefined;
}

export interface Rules {
  /** The fault for a request; undefined if no rule applies. `id`: the plant's. `isStream`: its response is a stream. */
  choose(sandbox: Sandbox, exchange: Matched, id: PlantId | undefined, isStream: boolean): PlannedFault | undefined;
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
    max: COUNTED,
    maxSize: RULES_MEMORY,
    sizeCalculation: ({ text, before }) => BYTES_A_CHARACTER * (text.length + (before?.text.length ?? 0)),
  });
  const rulesOf = ({ id, faults }: Sandbox): readonly CountedRule[] => {
    const known = counted.get(id);
    if (known?.text === faults) return known.rules;
    // A request that arrived before the rules were replaced must not restart the counts of the new rules.
    if (known?.before?.text === faults) return known.before.rules;
    const rules = readRules(faults).map((rule) => ({
      rule,
      matched: 0,
      applied: 0,
      random: rule.seed === undefined ? random : createRandom(rule.seed),
    }));
    counted.set(id, { text: faults, rules, before: known && { ...known, before: undefined } });
    return rules;
  };
  /** The first rule that matches and applies. `isReached`: whether the fault of a rule that matches can happen. */
  const chooseRule = (
    sandbox: Sandbox,
    matches: (rule: FaultRule) => boolean,
    isReached: (fault: Fault) => boolean,
  ): FaultRule | undefined => {
    if (sandbox.faults === '') return undefined;
    for (const one of rulesOf(sandbox)) {
      const { fault, skip = 0, times = Number.POSITIVE_INFINITY, share = 100 } = one.rule;
      if (!matches(one.rule)) continue;
      one.matched++;
      if (one.matched <= skip || one.applied >= times || !isReached(fault)) continue;
      if (one.random() * 100 >= share) continue;
      one.applied++;
      return one.rule;
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
      return counted.map(({ rule, matched, applied }) => ({ rule, matched, applied }));
    },
    closes(sandbox) {
      if (sandbox.faults === '') return false;
      return rulesOf(sandbox).some(
        ({ rule, applied }) => !reaches(rule.fault, false) && applied < (rule.times ?? Number.POSITIVE_INFINITY),
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
