/** Defects of credentials: they are not required, or they permit too much. */

import { hashToken } from '../../src/auth/token.ts';
import { scopes } from '../../src/contract/openapi.generated.ts';
import type { Problem } from '../../src/errors.ts';
import type { Credential } from '../../src/feature.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import type { OperationId, Plant, TierDefect } from './defect.ts';
import { ALOE, CALLS, create, example, request, type Variable } from './examples.ts';
import { changeSteps, recovering } from './planting.ts';
import { forEach } from './variants.ts';

/** The credential of every client that should have been refused. Its store is the store of the first token. */
const ANYONE: Credential = { id: 'anyone', store: 'default', scopes: new Set(scopes) };
const REVOKED_LATE_MS = 60_000;
const AUTHENTICATION = { wfc: [311], owasp: 'API2' } as const;
const OPERATIONS = ['listPlants', 'getPlant', 'createPlant', 'replacePlant'] as const;

/** Accepts credentials that a Problem refuses. */
const accept = (code: Problem['code'], operation: OperationId | 'any', isMeant = (_: Exchange) => true): Plant =>
  changeSteps((steps, count) => ({
    authenticate: recovering(steps.authenticate, (problem, exchange) => {
      const isOperation = operation === 'any' || exchange.operation?.id === operation;
      if (!isOperation || problem.code !== code || !isMeant(exchange)) throw problem;
      count();
      return ANYONE;
    }),
  }));

const by = (operation: OperationId | 'any') => (operation === 'any' ? '' : ` by ${CALLS[operation].title}`);
/** Creates a plant, and calls an operation with another token. */
const callsWith = (token: Variable | null, operation: OperationId | 'any', more = '') => [
  create(ALOE),
  `${CALLS[operation === 'any' ? 'listPlants' : operation].send(token)}${more}`,
];

/** A token with only the scope plants:read is accepted by an operation that writes. */
const readTokenAccepted = (name: string, id: OperationId): TierDefect => ({
  name,
  does: `A token with only the scope plants:read is accepted by ${CALLS[id].title}.`,
  operation: id,
  breaks: `${CALLS[id].at}/security/0/bearerAuth`,
  ...example('200, then 403', create(ALOE), CALLS[id].send('READ_TOKEN')),
  classes: { wfc: [306], owasp: 'API5', cwe: 862 },
  plant: changeSteps((steps, count) => ({
    authorize(exchange) {
      try {
        steps.authorize(exchange);
      } catch (error) {
        if (exchange.operation?.id !== id) throw error;
        count();
      }
    },
  })),
});

export const credentialDefects: readonly TierDefect[] = [
  {
    name: 'no-credential-needed',
    does: 'No operation needs a credential.',
    operation: 'any',
    breaks: '#/security',
    ...example('401', request('/plants', '', null)),
    classes: { wfc: [311, 308], owasp: 'API2', cwe: 306 },
    plant: accept(40100, 'any'),
  },
  forEach('no-credential-for-an-operation', ['deletePlant', ...OPERATIONS], (operation) => ({
    does: `${CALLS[operation].title} needs no credential.`,
    operation,
    breaks: `${CALLS[operation].at}/security`,
    ...example('200, then 401', ...callsWith(null, operation)),
    classes: { wfc: [308, 311], owasp: 'API2', cwe: 306 },
    plant: accept(40100, operation),
  })),
  forEach('any-token-accepted', ['any', ...OPERATIONS, 'deletePlant'], (operation) => ({
    does: `Any text after Bearer is accepted as a token${by(operation)}.`,
    operation,
    breaks: '#/components/securitySchemes/bearerAuth',
    ...example(
      '200, then 401 with the error 40101',
      ...callsWith(null, operation, ' -H "Authorization: Bearer nobody-has-this-token"'),
    ),
    classes: { ...AUTHENTICATION, cwe: 287 },
    plant: accept(40101, operation),
  })),
  forEach('expired-token-accepted', ['any', ...OPERATIONS, 'deletePlant'], (operation) => ({
    does: `An expired token is accepted${by(operation)}.`,
    operation,
    breaks: 'The token has expired.',
    ...example('200, then 401 with the error 40102', ...callsWith('EXPIRED_TOKEN', operation)),
    classes: { ...AUTHENTICATION, cwe: 613 },
    plant: accept(40102, operation),
  })),
  forEach('revoked-token-accepted', ['any', ...OPERATIONS, 'deletePlant'], (operation) => ({
    does: `A revoked token is accepted for a minute after its revocation${by(operation)}.`,
    operation,
    breaks: 'The token is not valid: it is unknown, revoked or malformed.',
    ...example('200, then 401 with the error 40101', ...callsWith('REVOKED_TOKEN', operation)),
    classes: { ...AUTHENTICATION, cwe: 613 },
    plant: (count, context) => {
      let revoked = new Map<string, number>();
      const isLate = ({ request: { headers } }: Exchange) => {
        const [, token = ''] = headers.authorization?.split(' ') ?? [];
        return Date.now() - (revoked.get(hashToken(token)) ?? 0) < REVOKED_LATE_MS;
      };
      return {
        ...accept(40101, operation, isLate)(count, context),
        tokens: (tokens) => ({
          ...tokens,
          async list() {
            const records = await tokens.list();
            revoked = new Map(records.map(({ hash, revokedAt = 0 }) => [hash, revokedAt]));
            return records;
          },
        }),
      };
    },
  })),
  readTokenAccepted('scope-of-delete-not-enforced', 'deletePlant'),
  readTokenAccepted('scope-of-create-not-enforced', 'createPlant'),
  readTokenAccepted('scope-of-replace-not-enforced', 'replacePlant'),
  {
    name: 'input-read-before-the-credential',
    does: 'A wrong request without a valid credential gets the error of its input.',
    operation: 'any',
    breaks: 'The service checks a request in this order: path, method, credential, scope, rate limit, parameters, body',
    ...example('401', request('/plants?limit=0', '', null)),
    classes: { owasp: 'API2', cwe: 696 },
    plant: changeSteps((steps, count) => ({
      authenticate: recovering(steps.authenticate, async (problem, exchange) => {
        const read = recovering(steps.readInput, (error) => {
          count();
          throw error;
        });
        await read(exchange);
        throw problem;
      }),
    })),
  },
];
