/** Reads the fault that a request asks for: `Prefer: code=503` (RFC 7240) or `Fault: delay;ms=2000` (RFC 9651). */
import { parseItem, Token } from 'structured-headers';
import type { Operation } from '../contract/operation.ts';
import { Problem } from '../errors.ts';
import { KINDS, type PlannedFault, planFault } from './kinds.ts';
import { declares, reasonAgainst } from './rules.ts';
import { Fault } from './sandbox.generated.ts';

const EXAMPLES = Object.values(KINDS).map(({ example }) => example);
const MEMBERS = ['kind', ...Object.values(KINDS).map(({ parameter = 'kind' }) => parameter)];

/** Throws a Problem (40020) if the field is malformed or the operation cannot have the fault. */
export function readFault(field: string, operation: Operation): PlannedFault {
  const refuse = (why: string) =>
    new Problem(40020, `The header field Fault is wrong: ${why}. Examples: ${EXAMPLES.join(', ')}.`);
  const item = parse(field);
  if (item === undefined) throw refuse('it is not an item of RFC 9651 that begins with a token');
  const { when = 'before', ...members } = item;
  const errors: string[] = [];
  const fault = Fault.read(members, undefined, '', errors);
  const unknown = Object.keys(members).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw refuse(`there is no parameter ${unknown}`);
  if (fault === undefined || errors.length > 0) throw refuse(errors.join('; '));
  if (when !== 'before' && when !== 'afterCommit') throw refuse('when must be before or afterCommit');
  const why = reasonAgainst(fault, [operation]);
  if (why !== undefined) throw refuse(why);
  return planFault(fault, when === 'afterCommit');
}

/** The item's token as `kind`, and its parameters; undefined if the field is malformed. */
function parse(field: string): Readonly<Record<string, string | number>> | undefined {
  try {
    const [kind, parameters] = parseItem(field);
    if (!(kind instanceof Token) || parameters.has('kind')) return undefined;
    const members = [...parameters].map(([name, value]) => [
      name,
      typeof value === 'number' ? value : value instanceof Token ? value.toString() : String(value),
    ]);
    return { ...Object.fromEntries(members), kind: kind.toString() };
  } catch {
    return undefined;
  }
}

/** The error status that a request prefers. A status that the operation does not declare is ignored. */
export function preferredStatus(field: string | undefined, operation: Operation): number | undefined {
  for (const preference of field?.split(',') ?? []) {
    const status = Number(/^\s*code\s*=\s*"?([45]\d\d)"?\s*(?:;|$)/i.exec(preference)?.[1]);
    if (declares(operation, status)) return status;
  }
  return undefined;
}
