/**
 * Defects of transport: bodies that are cut off, requests that hang, and methods and limits that are not what they
 * seem.
 */
import { once } from 'node:events';
import { Problem } from '../../src/errors.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { isStream } from '../../src/http/response.ts';
import type { Plant, TierDefect } from './defect.ts';
import { ALOE, bodyOf, CALLS, callOf, create, curl, example, request } from './examples.ts';
import { changeField, changePerform, changePlants, changeResponse, changeSteps, recovering } from './planting.ts';
import { forEach, pairs } from './variants.ts';

const STACK =
  "TypeError: Cannot read properties of undefined (reading 'name')\n    at createPlant (/srv/plants/create.ts:7:19)";

const PATHS = { '/plants': /\/plants(?:\?|$)/, '/plants/{id}': /\/plants\/[^/?]+(?:\?|$)/ };
/** Routes requests that are refused for their method by another method. */
const routeAs = (method: string, path: keyof typeof PATHS, isMeant: (request: Exchange['request']) => boolean): Plant =>
  changeSteps((steps, count) => ({
    route(exchange) {
      const { request } = exchange;
      try {
        return steps.route(exchange);
      } catch (error) {
        const isRefused = error instanceof Problem && error.code === 40500;
        if (!isRefused || !PATHS[path].test(request.url ?? '') || !isMeant(request)) throw error;
        count();
        request.method = method;
        return steps.route(exchange);
      }
    },
  }));
/** The common part of the undeclared operations. */
const UNDECLARED = {
  operation: 'any',
  breaks: 'A method that is not allowed returns 405 / 40500 with `Allow`.',
  clean: '200, then 405 with Allow',
  classes: { wfc: [310], owasp: 'API9', cwe: 912 },
} as const;

export const transportDefects: readonly TierDefect[] = [
  forEach(
    'body-cut-off',
    pairs(['listPlants', 'getPlant', 'createPlant', 'replacePlant'], [3, 20]),
    ([operation, least]) => ({
      does:
        `The connection ends in the middle of a body of ${CALLS[operation].title}, ` +
        `if it has ${least} bytes or more.`,
      ...callOf(operation, '', (line) => `${line}; true`),
      breaks: `${CALLS[operation].at}/responses/200/content/application~1json/schema`,
      classes: { wfc: [200] },
      plant: changeSteps((steps, count) => ({
        write(exchange, response) {
          const { status, headers, body = '' } = response;
          const { request, outgoing } = exchange;
          const isMeant = exchange.operation?.id === operation && status === 200 && request.method !== 'HEAD';
          if (!isMeant || isStream(body) || Buffer.byteLength(body) < least) return steps.write(exchange, response);
          count();
          const bytes = Buffer.from(body);
          outgoing.writeHead(status, headers);
          outgoing.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
          return undefined;
        },
      })),
    }),
  ),
  {
    name: 'length-in-characters',
    does: 'The Content-Length of GET /plants/{id} counts characters, so text beyond ASCII cuts off the body.',
    operation: 'getPlant',
    breaks: '#/paths/~1plants~1{id}/get/responses/200/content/application~1json/schema',
    ...example('200, then 200 with the whole body', create('{"id": 12, "name": "Aloë"}'), request('/plants/12')),
    classes: { wfc: [200], cwe: 135 },
    plant: changeResponse('getPlant', 200, (response) => {
      const text = String(response.body);
      return { ...response, body: Buffer.from(text).subarray(0, text.length) };
    }),
  },
  forEach<readonly [what: string, query: string, isMeant: (limit: number, tag: string | undefined) => boolean]>(
    'request-hangs',
    [
      ['an empty tag', 'tag=', (_, tag) => tag === ''],
      ['the limit 1000', 'limit=1000', (limit) => limit === 1_000],
      ['the limit 1', 'limit=1', (limit) => limit === 1],
      ['a space in its tag', 'tag=a%20b', (_, tag) => tag?.includes(' ') === true],
      ['a tag beyond ASCII', 'tag=%C3%A9', (_, tag = '') => /[^\0-\x7f]/.test(tag)],
      ['a tag of more than 100 characters', `tag=${'a'.repeat(101)}`, (_, tag = '') => tag.length > 100],
    ],
    ([what, query, isMeant]) => ({
      does: `A list with ${what} gets no response until the service stops.`,
      operation: 'listPlants',
      breaks: "Returns a page of the store's plants, ascending by id over the whole int64 range.",
      show: `${curl(request('/plants'))}; ${curl(request(`/plants?${query}`, '-m 3'))}; true`,
      clean: '200',
      classes: { wfc: [312], owasp: 'API4', cwe: 835 },
      plant: changePerform('listPlants', async (perform, input, count, { signal }) => {
        const { limit, tag } = input.parameters;
        if (!isMeant(Number(limit), tag === undefined ? undefined : String(tag))) return perform(input);
        count();
        // Aborted when the connection closes or the service stops.
        if (!signal.aborted) await once(signal, 'abort');
        return perform(input);
      }),
    }),
  ),
  forEach(
    'undeclared-operation',
    [
      ['PATCH', '/plants/{id}', 'PUT'],
      ['POST', '/plants/{id}', 'PUT'],
      ['PATCH', '/plants/{id}', 'DELETE'],
      ['POST', '/plants/{id}', 'DELETE'],
      ['PUT', '/plants', 'POST'],
      ['PATCH', '/plants', 'POST'],
    ],
    ([method, path, as]) => ({
      ...UNDECLARED,
      does: `${method} ${path} works like ${as}.`,
      show: curl(create(ALOE), request(path.replace('{id}', '12'), `-X ${method} ${bodyOf(ALOE)}`)),
      plant: routeAs(as, path, (request) => request.method === method),
    }),
  ),
  forEach(
    'method-overridden',
    pairs(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'], ['DELETE', 'PUT']),
    ([field, method]) => ({
      ...UNDECLARED,
      does: `POST /plants/{id} with ${field}: ${method} works like ${method}.`,
      show: curl(create(ALOE), request('/plants/12', `-H '${field}: ${method}' ${bodyOf(ALOE)}`)),
      plant: routeAs(method, '/plants/{id}', (request) => {
        return request.method === 'POST' && request.headers[field.toLowerCase()] === method;
      }),
    }),
  ),
  {
    name: 'rate-limit-not-enforced',
    does: 'No request is refused by the rate limit.',
    operation: 'any',
    breaks: 'The rate limit of the token is used up.',
    // More requests than the rate limit of a grading allows in its window.
    ...example('200, then 429 with Retry-After', request('/plants?limit=1&[1-2600]', '', 'READ_TOKEN')),
    classes: { owasp: 'API4', cwe: 770 },
    plant: changeSteps((steps, count) => ({
      limitRate: recovering(steps.limitRate, (problem) => {
        if (problem.code !== 42900) throw problem;
        count();
      }),
    })),
  },
  forEach('stack-in-an-error', [0n, -1n, 2n ** 31n, 2n ** 32n, 2n ** 53n + 1n, -(2n ** 63n)], (id) => ({
    does: `POST /plants with the id ${id} returns 500 with a stack trace.`,
    operation: 'createPlant',
    breaks: 'No response contains a stack trace.',
    ...example('200', create(`{"id": ${id}, "name": "Aloe vera"}`)),
    classes: { wfc: [309, 100], owasp: 'API8', cwe: 209 },
    plant: changePlants((plants, count) => ({
      async create(store, plant) {
        if (plant.id !== id) return plants.create(store, plant);
        count();
        throw new Problem(50000, STACK);
      },
    })),
  })),
  forEach(
    'response-cacheable',
    pairs(['listPlants', 'getPlant', 'createPlant', 'replacePlant'], ['public, max-age=3600', 'max-age=60']),
    ([operation, caching]) => ({
      does: `${CALLS[operation].title} has Cache-Control: ${caching}.`,
      ...callOf(operation, 'with another Cache-Control'),
      breaks:
        'The response of an operation has `Cache-Control: private, no-cache` if it has an ETag, ' +
        'and otherwise `Cache-Control: no-store`.',
      classes: { owasp: 'API8', cwe: 525 },
      plant: changeField(operation, 200, 'Cache-Control', () => caching),
    }),
  ),
];
