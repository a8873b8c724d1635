/** The matrix of credentials: every operation, every way to send a token, and the expected responses. */
import type { OutgoingHttpHeaders } from 'node:http';
import { operations } from '../../src/contract/openapi.generated.ts';
import type { Operation as Described } from '../../src/contract/operation.ts';
import { operations as described, targetOf } from '../contract/document.ts';

export interface TokenSet {
  readonly right: string;
  readonly readOnly: string;
  readonly writeOnly: string;
  readonly expired: string;
  readonly revoked: string;
  readonly otherStore: string;
  readonly unknown: string;
}

export interface OperationCase {
  readonly id: string;
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
  /** The scopes that it needs, separated by spaces. */
  readonly scope: string;
  /** The status for the plant 1, which exists. */
  readonly success: number;
  /** The status in a store without any plant. */
  readonly elsewhere: number;
}

/** Every operation of the description that needs a credential, with the examples of the description. */
export const OPERATIONS: readonly OperationCase[] = described.flatMap((one) => {
  const { id, method, requests, responses } = one;
  const { scopes = [] }: Pick<Described, 'scopes'> = operations[id as keyof typeof operations];
  const scope = scopes.join(' ');
  if (scope === '') return [];
  const [example] = Object.values(requests);
  const success = Number(Object.keys(responses).find((status) => status.startsWith('2')));
  const body = example === undefined ? {} : { body: example.value };
  const elsewhere = '404' in responses ? 404 : success;
  return [{ id, method, target: targetOf(one, '1'), ...body, scope, success, elsewhere }];
});

/** The expected error number and challenge. Undefined for a success. */
interface Expected {
  readonly error: number;
  readonly challenge: string;
}

interface CredentialCase {
  readonly name: string;
  readonly headers: OutgoingHttpHeaders;
  expected(operation: OperationCase): Expected | undefined;
}

const REALM = 'Bearer realm="plant-store"';
const NONE: Expected = { error: 40100, challenge: REALM };
const NOT_VALID: Expected = { error: 40101, challenge: `${REALM}, error="invalid_token"` };
const EXPIRED: Expected = { error: 40102, challenge: `${REALM}, error="invalid_token"` };

function only(scope: string) {
  return (operation: OperationCase): Expected | undefined =>
    operation.scope === scope
      ? undefined
      : { error: 40300, challenge: `${REALM}, error="insufficient_scope", scope="${operation.scope}"` };
}

/** Replaces the last digit of the checksum. */
function withBadChecksum(token: string): string {
  return token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a');
}

export function credentialCases(tokens: TokenSet): readonly CredentialCase[] {
  const { right } = tokens;
  const send = (name: string, value: string | string[] | undefined, expected: CredentialCase['expected']) => ({
    name,
    headers: value === undefined ? {} : { Authorization: value },
    expected,
  });
  return [
    send('no header', undefined, () => NONE),
    send('an empty header', '', () => NONE),
    send('the wrong scheme', `Basic ${Buffer.from(`user:${right}`).toString('base64')}`, () => NONE),
    send('a right token of the wrong scheme', `Token ${right}`, () => NONE),
    send('a token without a scheme', right, () => NONE),
    send('a scheme without a token', 'Bearer', () => NONE),
    send('a scheme and blanks', 'Bearer   ', () => NONE),
    send('a malformed token', `Bearer ${right} ${right}`, () => NOT_VALID),
    send('a token in quotes', `Bearer "${right}"`, () => NOT_VALID),
    send('a token and a comma', `Bearer ${right},`, () => NOT_VALID),
    send('a tab before the token', `Bearer \t${right}`, () => NOT_VALID),
    send('a no-break space behind the token', `Bearer ${right}\u00a0`, () => NOT_VALID),
    send('two headers, both right', [`Bearer ${right}`, `Bearer ${right}`], () => NOT_VALID),
    send('two headers, the second right', ['Bearer x', `Bearer ${right}`], () => NOT_VALID),
    send('a bad checksum', `Bearer ${withBadChecksum(right)}`, () => NOT_VALID),
    send('another case', `Bearer ${right.toLowerCase()}`, () => NOT_VALID),
    send('an unknown token', `Bearer ${tokens.unknown}`, () => NOT_VALID),
    send('a revoked token', `Bearer ${tokens.revoked}`, () => NOT_VALID),
    send('an expired token', `Bearer ${tokens.expired}`, () => EXPIRED),
    send('a read-only token', `Bearer ${tokens.readOnly}`, only('plants:read')),
    send('a write-only token', `Bearer ${tokens.writeOnly}`, only('plants:write')),
    send('lower-case bearer', `bearer ${right}`, () => undefined),
    send('upper-case BEARER and more spaces', `BEARER   ${right}`, () => undefined),
    send('the right token', `Bearer ${right}`, () => undefined),
  ];
}
