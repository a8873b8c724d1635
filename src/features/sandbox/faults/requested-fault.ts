/** Reads the fault that a request asks for: `Prefer: code=503` (RFC 7240) or `Fault: delay;ms=2000` (RFC 9651). */
import { parseItem, Token } from 'structured-headers';
import type { Operation } from '../../../contract/operation.ts';
import { Problem } from '../../../errors.ts';
import { Fault } from '../sandbox.generated.ts';
import type { PlannedFault } from './fault-kind.ts';
import { KINDS } from './fault-kinds.generated.ts';
import { reasonAgainst } from './possible-faults.ts';
import { declares } from './requested-problem.ts';

const KINDS_OF_REQUESTS = Object.entries(KINDS).flatMap(([kind, { example = {}, isOnlyForDeliveries }]) =>
  isOnlyForDeliveries ? [] : [[kind, ...Object.entries(example).map((member) => member.join('='))].join(';')],
);
const EXAMPLES = [...KINDS_OF_REQUESTS, 'reset;when=afterCommit'];

/** Throws a Problem (40020) if the field is malformed or the response, perhaps a stream, cannot have the fault. */
export function readFault(field: string, operation: Operation, isStream: boolean): PlannedFault {
  const refuse = (why: string) =>
    new Problem(40020, `The header field Fault is wrong: ${why}. Examples: ${EXAMPLES.join(', ')}.`);
  // steps.ts lets GET and HEAD with this value pass without a fault.
  if (field === 'none') throw refuse('none is only for GET and HEAD. Leave Fault out to send this request without one');
  const item = parseFault(field);
  if (item === undefined)
    throw refuse('it must be an item of RFC 9651: a token, and parameters that are integers or tokens');
  const { when = 'before', ...members } = item;
  const errors: string[] = [];
  const fault = Fault.read(members, undefined, '', errors);
  if (fault === undefined || errors.length > 0) throw refuse(errors.join('; '));
  if (when !== 'before' && when !== 'afterCommit') throw refuse('when must be before or afterCommit');
  const why = reasonAgainst(fault, [operation], isStream);
  if (why !== undefined) throw refuse(why);
  return { ...fault, isAfterCommit: when === 'afterCommit' };
}

/**
 * structured-headers parses an integer and a decimal as a number. No token contains `=`, so this finds each decimal.
 */
const DECIMAL = /=-?\d+\./;

/** The item's token as `kind`, and its parameters: integers and tokens. Undefined if the field is malformed. */
export function parseFault(field: string): Readonly<Record<string, string | number>> | undefined {
  try {
    const [kind, parameters] = parseItem(field);
    if (!(kind instanceof Token) || parameters.has('kind') || DECIMAL.test(field)) return undefined;
    const members: Record<string, string | number> = { kind: kind.toString() };
    for (const [name, value] of parameters) {
      if (typeof value === 'number') members[name] = value;
      else if (value instanceof Token) members[name] = value.toString();
      else return undefined;
    }
    return members;
  } catch {
    return undefined;
  }
}

/**
 * A preference in the list of RFC 7240, 2. A comma in a quoted string does not end it. `\\.?` also matches a backslash
 * at the end. So the pattern never tries a place twice, which would take seconds for a long field.
 */
const PREFERENCE = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/g;
const CODE = /^[ \t]*code[ \t]*=[ \t]*(?:([45]\d\d)|"([45]\d\d)")[ \t]*(?:;|$)/i;
const IS_CODE = /^[ \t]*code[ \t]*(?:[=;]|$)/i;

/**
 * The error status that a request prefers. A status that the operation does not declare is ignored, and so is every
 * preference for a code but the first.
 */
export function preferredStatus(field: string, operation: Operation): number | undefined {
  const preference = field.match(PREFERENCE)?.find((one) => IS_CODE.test(one));
  const [, plain, quoted] = CODE.exec(preference ?? '') ?? [];
  const status = Number(plain ?? quoted);
  return declares(operation, status) ? status : undefined;
}
