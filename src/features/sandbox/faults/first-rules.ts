/**
 * Reads the rules of `--fault`, which the sandbox of a demo has from the start. The text of a rule is a value of the
 * header field Fault. Its further parameters are the members of a rule: `status;status=503;share=20;seed=7`.
 */
import type { Operation } from '../../../contract/operation.ts';
import { FaultRule, type FaultRules } from '../sandbox.generated.ts';
import { KINDS } from './fault-kinds.generated.ts';
import { isForDeliveries, problemOfRules } from './possible-faults.ts';
import { parseFault } from './requested-fault.ts';

/** FaultRules of sandbox.yaml has the same maximum. */
const MOST_RULES = 20;
const MEMBERS = 'operation, id, message, when, skip, times, share and seed';
const EXAMPLES = "'status;status=503;operation=createPlant;share=20;seed=7' 'delay;ms=500'";

/** Throws an Error that names the first wrong rule by its place. */
export function readFirstRules(texts: readonly string[]): FaultRules {
  if (texts.length > MOST_RULES) throw new Error(`a sandbox has at most ${MOST_RULES} rules`);
  return texts.map(readRule);
}

/** Why the rules can apply to none of the operations. */
export function reasonAgainstFirst(rules: FaultRules, operations: readonly Operation[]): string | undefined {
  for (const [i, rule] of rules.entries()) {
    const message = problemOfRules([rule], operations)?.message;
    // The message is about a list of rules in JSON. The text of one rule has no place and no member `match`.
    const why = message?.replace(/^0(?:\.|: )/, '').replace(/\.$/, '');
    if (why !== undefined) return wrong(i, why.replaceAll('match.', '')).message;
  }
  // The rules may be too long together.
  return problemOfRules(rules, operations)?.message;
}

/** The place of a rule that applies to every request, so that no later rule ever applies. Undefined: there is none. */
export function placeOfLastRule(rules: FaultRules): number | undefined {
  const i = rules.findIndex((rule) => {
    const { fault, match, skip = 0, times, share = 100 } = rule;
    if (isForDeliveries(rule)) return false;
    const isForAny = (fault.connection ?? 'any') === 'any' && fault.other === undefined && match === undefined;
    return isForAny && skip === 0 && times === undefined && share === 100 && !KINDS[fault.kind].reasonAgainst;
  });
  return i < 0 || i === rules.length - 1 ? undefined : i + 1;
}

function readRule(text: string, i: number): FaultRule {
  const item = parseFault(text);
  if (item === undefined) throw wrong(i, 'it must be a kind of fault, and parameters that are integers or words');
  const { operation, id, message, when, skip, times, share, seed, ...fault } = item;
  const match = { operation, id, message };
  const hasMatch = Object.values(match).some((member) => member !== undefined);
  const rule = { fault, ...(hasMatch && { match }), when, skip, times, share, seed };
  const errors: string[] = [];
  const read = FaultRule.read(JSON.parse(JSON.stringify(rule)), undefined, '', errors);
  if (read === undefined || errors.length > 0)
    throw wrong(i, errors.map((error) => error.replace(/^(?:fault|match)\./, '')).join('; '));
  return read;
}

function wrong(i: number, why: string): Error {
  return new Error(`rule ${i + 1} is wrong: ${why}; a rule also takes ${MEMBERS}; examples of rules: ${EXAMPLES}`);
}
