/** Defects of the sandboxes' API, which sandbox.yaml describes. They need `--sandboxes` or `--demo`. */
import type { Json } from '../contract/json.ts';
import { integer } from '../contract/schema.ts';
import { Problem } from '../errors.ts';
import {
  changeMembers,
  changeOperation,
  changeResponse,
  changeSteps,
  curl,
  type Plant,
  removeFields,
  replaceBodySchema,
  replaceParameterSchema,
  request,
  type Tier,
  type TierDefect,
  type Written,
} from './defect.ts';

const SCHEMAS = '#/components/schemas';
const send = (method: string, target: string, json?: string) =>
  request(target, `-X ${method}${json === undefined ? '' : ` --json '${json}'`}`);
const createSandbox = (json: string) => request('/sandboxes', `--json '${json}'`, null);
const RULE = '{"fault": {"kind": "status", "status": 503}, "times": 1}';
const putFaults = (json: string) => send('PUT', '/sandbox/faults', json);

/** Changes the JSON of a body before it is read. */
function rewriteBody(id: string, change: (json: Json) => Json): Plant {
  return (count, context) =>
    changeOperation(id, (operation) => {
      const { body } = operation;
      if (body === undefined) return operation;
      const read: typeof body.read = (value, _, at, errors) => body.read(change(value), undefined, at, errors);
      return replaceBodySchema(id, { ...body, read })(count, context).operation?.(operation) ?? operation;
    });
}
const isObject = (json: Json): json is { readonly [name: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

export const sandboxDefects: Readonly<Record<Tier, readonly TierDefect<string>[]>> = {
  schema: [
    {
      name: 'sandbox-created-200',
      does: 'POST /sandboxes returns 200.',
      operation: 'createSandbox',
      breaks: '#/paths/~1sandboxes/post/responses',
      show: curl(createSandbox('{}')),
      clean: '201',
      wfc: [200],
      plant: changeResponse((response, { operation }) =>
        operation?.id === 'createSandbox' && response.status === 201 ? { ...response, status: 200 } : undefined,
      ),
    },
    {
      name: 'sandbox-without-expiry',
      does: 'POST /sandboxes does not return expiresAt.',
      operation: 'createSandbox',
      breaks: `${SCHEMAS}/NewSandbox/required`,
      show: curl(createSandbox('{}')),
      clean: '201 with expiresAt',
      wfc: [200],
      plant: changeMembers('createSandbox', 201, ({ expiresAt: _, ...rest }) => rest),
    },
    {
      name: 'snapshot-number-as-text',
      does: 'POST /sandbox/snapshots returns the number as text.',
      operation: 'createSnapshot',
      breaks: `${SCHEMAS}/Snapshot/properties/number/type`,
      show: curl(send('POST', '/sandbox/snapshots')),
      clean: '201 with the number 1',
      wfc: [200],
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
      show: curl(createSandbox('{"color": "green"}')),
      clean: '400 with the error 40005',
      wfc: [206],
      plant: rewriteBody('createSandbox', (json) =>
        isObject(json)
          ? Object.fromEntries(Object.entries(json).filter(([name]) => name === 'plants' || name === 'ttl'))
          : json,
      ),
    },
    {
      name: 'ttl-0-accepted',
      does: 'POST /sandboxes takes a ttl of 0 for no ttl.',
      operation: 'createSandbox',
      breaks: `${SCHEMAS}/SandboxTerms/properties/ttl/minimum`,
      show: curl(createSandbox('{"ttl": 0}')),
      clean: '400 with the error 40005',
      wfc: [206],
      cwe: 1284,
      plant: rewriteBody('createSandbox', (json) => {
        if (!isObject(json) || json['ttl'] !== 0) return json;
        const { ttl: _, ...rest } = json;
        return rest;
      }),
    },
    {
      name: 'fault-rule-21-accepted',
      does: 'PUT /sandbox/faults accepts more than 20 rules and drops those after the 20th.',
      operation: 'putFaults',
      breaks: `${SCHEMAS}/FaultRules/maxItems`,
      show: curl(putFaults(`['$(yes '{"fault":{"kind":"reset"}}' | head -21 | paste -sd, -)']`)),
      clean: '400 with the error 40005',
      wfc: [206],
      cwe: 1284,
      plant: rewriteBody('putFaults', (json) => (Array.isArray(json) ? json.slice(0, 20) : json)),
    },
    {
      name: 'negative-after-accepted',
      does: 'GET /sandbox/requests accepts a negative after.',
      operation: 'listRequests',
      breaks: '#/paths/~1sandbox~1requests/get/parameters/0/schema/minimum',
      show: curl(request('/sandbox/requests?after=-1')),
      clean: '400 with the error 40006',
      wfc: [206],
      cwe: 1284,
      plant: replaceParameterSchema('listRequests', 'after', integer(-(2 ** 31), 2 ** 31 - 1)),
    },
  ],
  credentials: [
    {
      name: 'secret-recorded',
      does: 'GET /sandbox/requests shows the token of recorded requests.',
      operation: 'listRequests',
      breaks: 'The value of the field. `…` replaces a secret, except for the scheme of a credential.',
      show: curl(request('/plants'), request('/sandbox/requests')),
      clean: '200',
      owasp: 'API3',
      cwe: 532,
      plant: changeResponse((response, { operation, request: { headers } }) =>
        operation?.id === 'listRequests' && response.status === 200
          ? { ...response, body: String(response.body).replaceAll('"Bearer …"', `"${headers.authorization}"`) }
          : undefined,
      ),
    },
  ],
  state: [
    {
      name: 'requests-newest-first',
      does: 'GET /sandbox/requests returns the newest request first.',
      operation: 'listRequests',
      breaks: 'the oldest first',
      show: curl(request('/plants'), request('/plants?limit=1'), request('/sandbox/requests')),
      clean: '200 with the request to /plants first',
      plant: changeResponse((response, { operation }) =>
        operation?.id === 'listRequests' && response.status === 200
          ? { ...response, body: JSON.stringify(JSON.parse(String(response.body)).toReversed()) }
          : undefined,
      ),
    },
    {
      name: 'after-ignored',
      does: 'GET /sandbox/requests ignores after.',
      operation: 'listRequests',
      breaks: 'Only requests with a higher number.',
      show: curl(request('/plants'), request('/sandbox/requests?after=1')),
      clean: '200 without requests',
      plant: changeSteps((steps, count) => ({
        async perform(exchange, input) {
          const right = await steps.perform(exchange, input);
          if (exchange.operation?.id !== 'listRequests') return right;
          const parameters = { ...input.parameters, after: 0 };
          const wrong = await steps.perform(exchange, { ...input, parameters });
          if (JSON.stringify(wrong) !== JSON.stringify(right)) count();
          return wrong;
        },
      })),
    },
    {
      name: 'fault-rules-stay',
      does: 'DELETE /sandbox/faults returns 204 but keeps the rules.',
      operation: 'deleteFaults',
      breaks: 'Removes all fault rules.',
      show: curl(putFaults(`[${RULE}]`), send('DELETE', '/sandbox/faults'), request('/sandbox/faults')),
      clean: '200, then 204, then 200 without rules',
      wfc: [113],
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
      show: curl(request('/sandbox', '', null)),
      clean: '401 with WWW-Authenticate',
      wfc: [109, 200],
      plant: removeFields(({ status }, { operation }) =>
        status === 401 && operation?.id === 'getSandbox' ? ['WWW-Authenticate'] : undefined,
      ),
    },
  ],
};
