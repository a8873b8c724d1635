/** Defects of the sandboxes' API, which sandbox.yaml describes. They need `--sandboxes` or `--demo`. */
import type { Json } from '../../src/contract/json.ts';
import { integer } from '../../src/contract/schema.ts';
import { Problem } from '../../src/errors.ts';
import type { Plant, Tier, TierDefect } from './defect.ts';
import { bodyOf, example, request } from './examples.ts';
import {
  changeItems,
  changeMembers,
  changePerform,
  changeResponse,
  changeSteps,
  removeFields,
  replaceBodySchema,
  replaceParameterSchema,
  type Written,
  withParameters,
} from './planting.ts';

const SCHEMAS = '#/components/schemas';
const send = (method: string, target: string, json?: string) =>
  request(target, `-X ${method}${json === undefined ? '' : ` ${bodyOf(json)}`}`);
const createSandbox = (json: string) => request('/sandboxes', bodyOf(json), null);
const RULE = '{"fault": {"kind": "status", "status": 503}, "times": 1}';
const putFaults = (json: string) => send('PUT', '/sandbox/faults', json);

/**
 * Changes the JSON of a body before it is read. `remove` may remove only members and the last items: `written` has the
 * numbers of the others by their names and places.
 */
const rewriteBody = (id: string, remove: (json: Json) => Json): Plant =>
  replaceBodySchema(id, ({ read }) => ({
    read: (value, written, at, errors) => read(remove(value), written, at, errors),
  }));
const isObject = (json: Json): json is { readonly [name: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

export const sandboxDefects: Readonly<Record<Tier, readonly TierDefect<string>[]>> = {
  schema: [
    {
      name: 'sandbox-status-undeclared',
      does: 'POST /sandboxes returns 200.',
      operation: 'createSandbox',
      breaks: '#/paths/~1sandboxes/post/responses',
      ...example('201', createSandbox('{}')),
      classes: { wfc: [200] },
      plant: changeResponse('createSandbox', 201, (response) => ({ ...response, status: 200 })),
    },
    {
      name: 'sandbox-without-expiry',
      does: 'POST /sandboxes does not return expiresAt.',
      operation: 'createSandbox',
      breaks: `${SCHEMAS}/CreatedSandbox/required`,
      ...example('201 with expiresAt', createSandbox('{}')),
      classes: { wfc: [200] },
      plant: changeMembers('createSandbox', 201, ({ expiresAt: _, ...rest }) => rest),
    },
    {
      name: 'snapshot-number-as-text',
      does: 'POST /sandbox/snapshots returns the number as text.',
      operation: 'createSnapshot',
      breaks: `${SCHEMAS}/Snapshot/properties/number/type`,
      ...example('201 with the number 1', send('POST', '/sandbox/snapshots')),
      classes: { wfc: [200] },
      plant: changeMembers('createSnapshot', 201, (snapshot) => ({
        ...snapshot,
        number: (snapshot['number'] as Written).rawJSON,
      })),
    },
  ],
  input: [
    {
      name: 'unknown-term-accepted',
      does: 'POST /sandboxes accepts members that the schema does not name.',
      operation: 'createSandbox',
      breaks: `${SCHEMAS}/SandboxTerms/additionalProperties`,
      ...example('400 with the error 40005', createSandbox('{"color": "green"}')),
      classes: { wfc: [206] },
      plant: rewriteBody('createSandbox', (json) =>
        isObject(json)
          ? Object.fromEntries(Object.entries(json).filter(([name]) => name === 'plants' || name === 'ttl'))
          : json,
      ),
    },
    {
      name: 'ttl-too-low-accepted',
      does: 'POST /sandboxes takes a ttl of 0 for no ttl.',
      operation: 'createSandbox',
      breaks: `${SCHEMAS}/SandboxTerms/properties/ttl/minimum`,
      ...example('400 with the error 40005', createSandbox('{"ttl": 0}')),
      classes: { wfc: [206], cwe: 1284 },
      plant: rewriteBody('createSandbox', (json) => {
        if (!isObject(json) || json['ttl'] !== 0) return json;
        const { ttl: _, ...rest } = json;
        return rest;
      }),
    },
    {
      name: 'too-many-fault-rules-accepted',
      does: 'PUT /sandbox/faults accepts more than 20 rules and drops those after the 20th.',
      operation: 'putFaults',
      breaks: `${SCHEMAS}/FaultRules/maxItems`,
      ...example(
        '400 with the error 40005',
        putFaults(`['$(yes '{"fault":{"kind":"reset"}}' | head -21 | paste -sd, -)']`),
      ),
      classes: { wfc: [206], cwe: 1284 },
      plant: rewriteBody('putFaults', (json) => (Array.isArray(json) ? json.slice(0, 20) : json)),
    },
    {
      name: 'negative-after-accepted',
      does: 'GET /sandbox/requests accepts a negative after.',
      operation: 'listRequests',
      breaks: '#/paths/~1sandbox~1requests/get/parameters/0/schema/minimum',
      ...example('400 with the error 40006', request('/sandbox/requests?after=-1')),
      classes: { wfc: [206], cwe: 1284 },
      plant: replaceParameterSchema('listRequests', 'after', integer(-(2 ** 31), 2 ** 31 - 1)),
    },
  ],
  credentials: [
    {
      name: 'secret-recorded',
      does: 'GET /sandbox/requests shows the token of recorded requests.',
      operation: 'listRequests',
      breaks: 'The value of the field. `…` replaces a secret, except for the scheme of a credential.',
      ...example('200', request('/plants'), request('/sandbox/requests')),
      classes: { owasp: 'API3', cwe: 532 },
      plant: changeResponse('listRequests', 200, (response, { request: { headers } }) => {
        return { ...response, body: String(response.body).replaceAll('"Bearer …"', `"${headers.authorization}"`) };
      }),
    },
  ],
  state: [
    {
      name: 'requests-newest-first',
      does: 'GET /sandbox/requests returns the newest request first.',
      operation: 'listRequests',
      breaks: 'the oldest first',
      ...example(
        '200 with the request to /plants first',
        request('/plants'),
        request('/plants?limit=1'),
        request('/sandbox/requests'),
      ),
      plant: changeItems('listRequests', 200, (requests) => requests.toReversed()),
    },
    {
      name: 'after-ignored',
      does: 'GET /sandbox/requests ignores after.',
      operation: 'listRequests',
      breaks: 'Only requests with a higher number.',
      ...example('200 without requests', request('/plants'), request('/sandbox/requests?after=1')),
      plant: changePerform('listRequests', async (perform, input, count) => {
        const right = await perform(input);
        const wrong = await perform(withParameters(input, { after: 0 }));
        if (JSON.stringify(wrong) !== JSON.stringify(right)) count();
        return wrong;
      }),
    },
    {
      name: 'fault-rules-stay',
      does: 'DELETE /sandbox/faults returns 204 but keeps the rules.',
      operation: 'deleteFaults',
      breaks: 'Removes all fault rules.',
      ...example(
        '200, then 204, then 200 without rules',
        putFaults(`[${RULE}]`),
        send('DELETE', '/sandbox/faults'),
        request('/sandbox/faults'),
      ),
      classes: { wfc: [113] },
      plant: changeSteps((steps, count) => {
        /** The credentials whose sandbox has rules. */
        const withRules = new Set<string>();
        return {
          async perform(exchange, input) {
            const id = exchange.credential?.id ?? '';
            const isDelete = exchange.operation?.id === 'deleteFaults';
            if (isDelete && withRules.has(id)) {
              count();
              return { status: 204 };
            }
            const result = await steps.perform(exchange, input);
            if (exchange.operation?.id !== 'putFaults' || result instanceof Problem) return result;
            if (Array.isArray(input.body) && input.body.length > 0) withRules.add(id);
            else withRules.delete(id);
            return result;
          },
        };
      }),
    },
  ],
  protocol: [
    {
      name: 'sandbox-challenge-missing',
      does: 'A 401 of GET /sandbox has no WWW-Authenticate.',
      operation: 'getSandbox',
      breaks: '#/components/headers/WWWAuthenticate/required',
      ...example('401 with WWW-Authenticate', request('/sandbox', '', null)),
      classes: { wfc: [109, 200] },
      plant: removeFields(['WWW-Authenticate'], (status, id) => status === 401 && id === 'getSandbox'),
    },
  ],
};
