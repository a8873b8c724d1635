/** Which faults an operation can have, and which of its requests. */
import type { Operation } from '../../../contract/operation.ts';
import { Problem } from '../../../errors.ts';
import { type Fault, type FaultRule, FaultRules } from '../sandbox.generated.ts';
import { KINDS } from './fault-kinds.generated.ts';
import { hasPlant } from './other-client.ts';

/**
 * Why none of these operations can have a fault; undefined if an operation can. `isStream`: whether the response is a
 * stream. Undefined: each request decides it.
 */
export function reasonAgainst(fault: Fault, operations: readonly Operation[], isStream?: boolean): string | undefined {
  const { kind } = fault;
  const { needs = {}, allows = {}, isOnlyForDeliveries } = KINDS[kind];
  if (isOnlyForDeliveries) return `the kind ${kind} is only for the messages of webhooks, not for requests`;
  const why = reasonAgainstMembers(fault, needs, { ...allows, other: true });
  if (why !== undefined) return why;
  const reasons = operations.map((operation) => reasonAgainstOne(operation, fault, isStream));
  return reasons.includes(undefined) ? undefined : `${operations.map(({ id }) => id).join(', ')} ${reasons[0]}`;
}

/** Why a rule for deliveries can never apply. */
function reasonAgainstDeliveries(rule: FaultRule, operations: readonly Operation[]): string | undefined {
  const { fault, match, when = 'before' } = rule;
  const { deliver, needs = {}, isOnlyForDeliveries } = KINDS[fault.kind];
  if (!operations.some(({ id }) => id === 'createWebhook')) return 'this service has no webhooks';
  if (match?.operation !== undefined || match?.id !== undefined) {
    const why = isOnlyForDeliveries ? `the kind ${fault.kind}` : 'a rule with match.message';
    return `${why} is only for messages of webhooks. Leave match.operation and match.id out`;
  }
  if (deliver === undefined) return `messages of webhooks cannot have the kind ${fault.kind}`;
  if (when === 'afterCommit') return 'afterCommit is only for requests, not for messages of webhooks';
  const why = reasonAgainstMembers(fault, needs, {});
  return why && `${why} for messages of webhooks`;
}

function reasonAgainstMembers({ kind, ...given }: Fault, needs: object, allows: object): string | undefined {
  const missing = Object.keys(needs).find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) return `the kind ${kind} needs ${missing}`;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn({ ...needs, ...allows }, name));
  return unknown && `the kind ${kind} takes no ${unknown}`;
}

/** Whether a rule is for the deliveries of webhooks. All other rules are for requests. */
export function isForDeliveries({ fault, match }: FaultRule): boolean {
  return match?.message !== undefined || KINDS[fault.kind].isOnlyForDeliveries === true;
}

/** Why an operation cannot have a fault. */
export function reasonAgainstOne(operation: Operation, fault: Fault, isStream?: boolean): string | undefined {
  const reason = KINDS[fault.kind].reasonAgainst?.(fault, operation, isStream);
  if (reason !== undefined || fault.other === undefined || hasPlant(operation)) return reason;
  return 'has no plant for another client';
}

/** Whether the fault can happen to a request: `isFirst`: whether it is the first of its connection. */
export function reaches(fault: Fault, isFirst: boolean): boolean {
  return KINDS[fault.kind].reaches?.(fault, isFirst) ?? true;
}

/** The most characters (code points) of all rules of a sandbox as JSON. The bodies in the rules make them long. */
const LONGEST_RULES = 16_384;

/** `operations`: those that rules can match. Events are among them only if the service has events. */
export function problemOfRules(rules: FaultRules, operations: readonly Operation[]): Problem<40020> | undefined {
  if ([...FaultRules.write(rules)].length > LONGEST_RULES)
    return new Problem(40020, `The rules have over ${LONGEST_RULES} characters as JSON. Shorten their bodies.`);
  for (const [i, rule] of rules.entries()) {
    const { fault, match } = rule;
    if (isForDeliveries(rule)) {
      const why = reasonAgainstDeliveries(rule, operations);
      if (why !== undefined) return new Problem(40020, `${i}: ${why}.`);
      continue;
    }
    const named = operations.filter(({ id }) => match?.operation === undefined || match.operation === id);
    if (named.length === 0) return new Problem(40020, `${i}.match.operation: this service has no ${match?.operation}.`);
    const meant = match?.id === undefined ? named : named.filter(hasPlant);
    if (meant.length === 0) return new Problem(40020, `${i}.match.id: a request for ${match?.operation} has no plant.`);
    const why = reasonAgainst(fault, meant);
    if (why !== undefined) return new Problem(40020, `${i}.fault: ${why}.`);
  }
  return undefined;
}
