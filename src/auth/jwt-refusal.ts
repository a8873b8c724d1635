/** Explains in the log why a JWT was refused, so that the operator finds the wrong setting here or at the issuer. */
import { decodeProtectedHeader, errors } from 'jose';

/** What every token must have. */
export interface Expected {
  /** The exact `iss`. */
  readonly issuer: string;
  /** A value that `aud` contains. */
  readonly audience: string;
  /** The `typ`. Undefined accepts any, against the advice of RFC 8725, section 3.11. */
  readonly typ: string | undefined;
}

const CAUSES: Readonly<Record<string, string>> = {
  [errors.JOSEAlgNotAllowed.code]: 'its algorithm (alg) is not accepted',
  [errors.JOSENotSupported.code]: 'its header needs something that is not supported (alg or crit)',
  [errors.JWKSNoMatchingKey.code]: 'the issuer has no key for its kid and alg',
  [errors.JWKSMultipleMatchingKeys.code]: 'several keys of the issuer match it, since it has no kid or they share one',
  [errors.JWSSignatureVerificationFailed.code]: 'its signature does not match the key of the issuer',
  [errors.JWTInvalid.code]: 'its claims are not a JSON object',
};

/** Longer values of claims are truncated. */
const MAX_SHOWN = 200;

export function whyRefused(error: errors.JOSEError, expected: Expected, token: string): string {
  if (error instanceof errors.JWTClaimValidationFailed) return whyClaim(error, expected, token);
  return CAUSES[error.code] ?? 'it is malformed';
}

/**
 * Includes three values, which are not secret. jose checks claims only after the signature, so a stranger cannot write
 * into the log.
 */
function whyClaim(error: errors.JWTClaimValidationFailed, expected: Expected, token: string): string {
  const { claim, reason, payload } = error;
  switch (claim) {
    case 'iss':
      return differs('its issuer (iss)', payload.iss, '--jwt-issuer', expected.issuer);
    case 'aud':
      return differs('its audience (aud)', payload.aud, '--jwt-audience', expected.audience);
    case 'typ':
      return differs('its type (typ)', decodeProtectedHeader(token).typ, '--jwt-typ', expected.typ);
    case 'nbf':
      return reason === 'check_failed' ? 'it is not valid yet (nbf)' : 'its claim nbf is not a number';
    default:
      return `its claim ${claim} is ${reason === 'missing' ? 'missing' : 'not a number'}`;
  }
}

export function differs(what: string, value: unknown, option: string, wanted: string | undefined): string {
  // A terminal would take some characters for commands.
  const shown =
    JSON.stringify(value)
      ?.slice(0, MAX_SHOWN)
      .replaceAll(/[^\x20-\x7e]/g, '�') ?? 'missing';
  return `${what} is ${shown}, and ${option} is ${JSON.stringify(wanted)}`;
}
