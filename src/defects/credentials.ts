/** Defects of credentials: they are not required, or they permit too much. */
import type { Credential } from '../auth/credential.ts';
import { hashToken } from '../auth/token.ts';
import { scopes } from '../description/openapi.generated.ts';
import type { Problem } from '../errors.ts';
import type { StoreName } from '../plants/plant.ts';
import { ALOE, acceptRefused, changePlants, changeSteps, create, curl, request, type TierDefect } from './defect.ts';

/** The credential of every client that should have been refused. Its store is the store of the first token. */
const ANYONE: Credential = { id: 'anyone', store: 'default', scopes: new Set(scopes) };
const on = (codes: readonly Problem['code'][]) => (problem: Problem) =>
  codes.includes(problem.code) ? ANYONE : undefined;

const REVOKED_LATE_MS = 60_000;

export const credentialDefects: readonly TierDefect[] = [
  {
    name: 'no-credential-needed',
    does: 'No operation needs a credential.',
    operation: 'any',
    breaks: '#/security',
    show: curl(request('/plants', '', null)),
    clean: '401',
    wfc: [311, 308],
    owasp: 'API2',
    cwe: 306,
    plant: acceptRefused(on([40100])),
  },
  {
    name: 'no-credential-to-delete',
    does: 'DELETE /plants/{id} needs no credential.',
    operation: 'deletePlant',
    breaks: '#/paths/~1plants~1{id}/delete/security',
    show: curl(create(ALOE), request('/plants/12', '-X DELETE', null)),
    clean: '200, then 401',
    wfc: [308, 311],
    owasp: 'API2',
    cwe: 306,
    plant: acceptRefused((problem, { operation }) =>
      operation?.id === 'deletePlant' && problem.code === 40100 ? ANYONE : undefined,
    ),
  },
  {
    name: 'any-token-accepted',
    does: 'Any text after Bearer is accepted as a token.',
    operation: 'any',
    breaks: '#/components/securitySchemes/bearerAuth',
    show: curl(request('/plants', '-H "Authorization: Bearer nobody-has-this-token"', null)),
    clean: '401 with the error 40101',
    wfc: [311],
    owasp: 'API2',
    cwe: 287,
    plant: acceptRefused(on([40101])),
  },
  {
    name: 'expired-token-accepted',
    does: 'An expired token is accepted.',
    operation: 'any',
    breaks: 'The token has expired.',
    show: curl(request('/plants', '', 'EXPIRED_TOKEN')),
    clean: '401 with the error 40102',
    wfc: [311],
    owasp: 'API2',
    cwe: 613,
    plant: acceptRefused(on([40102])),
  },
  {
    name: 'scope-not-enforced',
    does: 'A token with only the scope plants:read can delete plants.',
    operation: 'deletePlant',
    breaks: '#/paths/~1plants~1{id}/delete/security/0/bearerAuth',
    show: curl(create(ALOE), request('/plants/12', '-X DELETE', 'READ_TOKEN')),
    clean: '200, then 403',
    wfc: [306],
    owasp: 'API5',
    cwe: 862,
    plant: changeSteps((steps, count) => ({
      authorize(exchange) {
        try {
          steps.authorize(exchange);
        } catch (error) {
          if (exchange.operation?.id !== 'deletePlant') throw error;
          count();
        }
      },
    })),
  },
  {
    name: 'plant-of-another-store',
    does: 'GET /plants/{id} also returns plants of other stores.',
    operation: 'getPlant',
    breaks: 'A credential belongs to one store and sees nothing of any other store.',
    show: curl(create(ALOE, 'OTHER_TOKEN'), request('/plants/12')),
    clean: '200, then 404',
    wfc: [],
    owasp: 'API1',
    cwe: 639,
    plant: changePlants((plants, count) => {
      const stores = new Set<StoreName>();
      return {
        create(store, plant) {
          stores.add(store);
          return plants.create(store, plant);
        },
        async get(store, id) {
          for (const one of [store, ...stores]) {
            const plant = await plants.get(one, id);
            if (plant === undefined) continue;
            if (one !== store) count();
            return plant;
          }
          return undefined;
        },
      };
    }),
  },
  {
    name: 'revoked-token-accepted',
    does: 'A revoked token is accepted for a minute after its revocation.',
    operation: 'any',
    breaks: 'The token is not valid: it is unknown, revoked or malformed.',
    show: curl(request('/plants', '', 'REVOKED_TOKEN')),
    clean: '401 with the error 40101',
    wfc: [311],
    owasp: 'API2',
    cwe: 613,
    plant: (count) => {
      let revoked = new Map<string, number>();
      const isLate = (token: string | undefined) =>
        Date.now() - (revoked.get(hashToken(token ?? '')) ?? 0) < REVOKED_LATE_MS;
      const forgive = acceptRefused((problem, { request: { headers } }) =>
        problem.code === 40101 && isLate(headers.authorization?.split(' ')[1]) ? ANYONE : undefined,
      );
      return {
        ...forgive(count),
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
  },
];
