/** Defects of responses: they differ from the description. */
import { Problem } from '../errors.ts';
import { CALLS } from './calls.ts';
import {
  ALOE,
  changeMembers,
  changeResponse,
  changeSteps,
  create,
  curl,
  type OperationId,
  removeFields,
  replace,
  request,
  type TierDefect,
  type Written,
} from './defect.ts';
import { forEach, pairs } from './variants.ts';

/** A response that refuses a request, and a request that gets it. */
type Failure = readonly [operation: OperationId, status: number, request: string];

const MISSING: readonly Failure[] = [
  ['getPlant', 404, request('/plants/12')],
  ['replacePlant', 404, replace(12, '{"name": "Agave"}')],
  ['deletePlant', 404, request('/plants/12', '-X DELETE')],
];
const REFUSED: readonly Failure[] = [
  ['createPlant', 400, create('{"id": 12}')],
  ['replacePlant', 400, replace(12, '{}')],
  ['listPlants', 400, request('/plants?limit=0')],
  ['getPlant', 400, request('/plants/twelve')],
];
const titleOf = ([operation, status]: Failure) => `The ${status} of ${CALLS[operation].title}`;
const fits32 = ({ rawJSON }: Written) => String(BigInt.asIntN(32, BigInt(rawJSON)));
const PLANTS: readonly OperationId[] = ['getPlant', 'listPlants', 'replacePlant'];
const capital = (member: string) => member.replace(/^./, (first) => first.toUpperCase());

export const schemaDefects: readonly TierDefect[] = [
  forEach<readonly [operation: OperationId, member: string]>(
    'required-member-missing',
    [...PLANTS.flatMap((id) => [[id, 'name'] as const, [id, 'id'] as const]), ['createPlant', 'name']],
    ([operation, member]) => ({
      does: `${CALLS[operation].title} returns a plant without its ${member}.`,
      operation,
      breaks: `#/components/schemas/${operation === 'createPlant' ? 'Plant' : 'StoredPlant'}/required`,
      show: CALLS[operation].show,
      clean: `${CALLS[operation].clean} with the ${member}`,
      wfc: [200],
      plant: changeMembers(operation, 200, ({ [member]: _, ...rest }) => rest),
    }),
  ),
  forEach<readonly [operation: OperationId, member: string, kind: string, change: (value: unknown) => unknown]>(
    'id-as-text',
    [
      ...(['listPlants', 'getPlant', 'replacePlant'] as const).map(
        (id) => [id, 'id', 'text', (value: unknown) => (value as Written).rawJSON] as const,
      ),
      ['getPlant', 'name', 'an array', (value) => [value]],
      ['createPlant', 'name', 'an object', (value) => ({ en: value })],
      ['listPlants', 'tag', 'an array', (value) => value && [value]],
      ['createPlant', 'tag', 'an object', (value) => value && { en: value }],
    ],
    ([operation, member, kind, change]) => ({
      does: `${CALLS[operation].title} returns the ${member} as ${kind}.`,
      operation,
      breaks: `#/components/schemas/Plant${capital(member)}/type`,
      show: CALLS[operation].show,
      clean: `${CALLS[operation].clean} with the ${member} as described`,
      wfc: [200],
      plant: changeMembers(operation, 200, (plant) => ({ ...plant, [member]: change(plant[member]) })),
    }),
  ),
  forEach<readonly [operation: OperationId, value: null | false | 0]>(
    'tag-null',
    [
      ['getPlant', null],
      ['listPlants', null],
      ['replacePlant', null],
      ['createPlant', null],
      ['getPlant', false],
      ['listPlants', 0],
    ],
    ([operation, tag]) => ({
      does: `${CALLS[operation].title} returns "tag": ${tag} for a plant without a tag.`,
      operation,
      breaks: '#/components/schemas/PlantTag/type',
      show: CALLS[operation].show.replace(', "tag": "succulent"', ''),
      clean: `${CALLS[operation].clean} without a member tag`,
      wfc: [200],
      plant: changeMembers(operation, 200, (plant) => ({ ...plant, tag: plant['tag'] ?? tag })),
    }),
  ),
  forEach<readonly [operation: OperationId, status: number]>(
    'created-201',
    [
      ['createPlant', 201],
      ['createPlant', 202],
      ['getPlant', 203],
      ['listPlants', 206],
      ['replacePlant', 201],
      ['replacePlant', 202],
      ['deletePlant', 202],
    ],
    ([operation, status]) => ({
      does: `${CALLS[operation].title} returns ${status}.`,
      operation,
      breaks: `${CALLS[operation].at}/responses`,
      show: CALLS[operation].show,
      clean: CALLS[operation].clean,
      wfc: [200],
      plant: changeResponse((response, exchange) =>
        exchange.operation?.id === operation && response.status < 300
          ? { ...response, status, body: response.body ?? '' }
          : undefined,
      ),
    }),
  ),
  forEach(
    'error-without-number',
    pairs([...MISSING, ...REFUSED], ['error', 'message']),
    ([[operation, status, line], member]) => ({
      does: `${titleOf([operation, status, line])} has no ${member === 'error' ? 'error number' : 'message'}.`,
      operation,
      breaks: '#/components/schemas/Error/required',
      show: curl(line),
      clean: `${status} with error and message`,
      wfc: [200],
      plant: changeMembers(operation, status, ({ [member]: _, ...rest }) => rest),
    }),
  ),
  forEach(
    'error-of-another-status',
    [...pairs(MISSING, [40001, 40900, 50000]), ...pairs(REFUSED, [40401, 42200])],
    ([[operation, status, line], error]) => ({
      does: `${titleOf([operation, status, line])} has the error number ${error}.`,
      operation,
      breaks: 'Numeric error value, the HTTP status followed by two digits',
      show: curl(line),
      clean: `${status} with an error number of this status`,
      plant: changeMembers(operation, status, (members) => ({ ...members, error })),
    }),
  ),
  forEach(
    'error-as-plain-text',
    pairs([...REFUSED, ...MISSING], ['text/plain', 'text/html']),
    ([[operation, status, line], type]) => ({
      does: `${titleOf([operation, status, line])} is ${type}.`,
      operation,
      breaks: `${CALLS[operation].at}/responses/${status}`,
      show: curl(line),
      clean: `${status} in application/json`,
      wfc: [200],
      plant: changeResponse((response, exchange) => {
        const { headers, problem } = response;
        if (exchange.operation?.id !== operation || response.status !== status) return undefined;
        return { ...response, headers: { ...headers, 'Content-Type': type }, body: problem?.message ?? '' };
      }),
    }),
  ),
  {
    name: 'location-missing',
    does: 'POST /plants returns no Location.',
    operation: 'createPlant',
    breaks: '#/components/headers/Location/required',
    show: CALLS.createPlant.show,
    clean: '200 with Location: /plants/12',
    wfc: [200],
    plant: removeFields((_, { operation }) => (operation?.id === 'createPlant' ? ['Location'] : undefined)),
  },
  forEach<readonly [operation: OperationId, what: string, change: (tag: string) => string | undefined]>(
    'etag-missing',
    (['getPlant', 'replacePlant'] as const).flatMap((id) => [
      [id, 'no ETag', () => undefined],
      [id, 'an ETag without quotation marks', (tag) => tag.slice(1, -1)],
      [id, 'a weak ETag', (tag) => `W/${tag}`],
      [id, 'an ETag in single quotation marks', (tag) => tag.replaceAll('"', "'")],
    ]),
    ([operation, what, change]) => ({
      does: `${CALLS[operation].title} returns ${what}.`,
      operation,
      breaks: `#/components/headers/ETag/${what === 'no ETag' ? 'required' : 'schema/pattern'}`,
      show: CALLS[operation].show,
      clean: `${CALLS[operation].clean} with a strong ETag`,
      wfc: [200],
      plant: changeResponse((response, exchange) => {
        const { ETag, ...headers } = response.headers;
        if (exchange.operation?.id !== operation || ETag === undefined) return undefined;
        const changed = change(ETag);
        return { ...response, headers: { ...headers, ...(changed !== undefined && { ETag: changed }) } };
      }),
    }),
  ),
  forEach<OperationId | 'any'>(
    'challenge-missing',
    ['any', 'createPlant', 'getPlant', 'listPlants', 'replacePlant', 'deletePlant'],
    (id) => ({
      does: `A 401${id === 'any' ? '' : ` of ${CALLS[id].title}`} has no WWW-Authenticate.`,
      operation: id,
      breaks: '#/components/headers/WWWAuthenticate/required',
      show: curl(CALLS[id === 'any' ? 'listPlants' : id].send(null)),
      clean: '401 with WWW-Authenticate',
      wfc: [109, 200],
      plant: removeFields(({ status }, { operation }) =>
        status === 401 && (id === 'any' || operation?.id === id) ? ['WWW-Authenticate'] : undefined,
      ),
    }),
  ),
  forEach('list-too-long', [1, 2, 3, 4, 5, 10], (more) => ({
    does: `A page has ${more === 1 ? 'one plant' : `up to ${more} plants`} more than its limit.`,
    operation: 'listPlants',
    breaks: 'The maximum number of plants on a page.',
    show: curl(create(ALOE), create('{"id": 13, "name": "Agave"}'), request('/plants?limit=1')),
    clean: '200, then 200 with one plant',
    cwe: 193,
    plant: changeSteps((steps, count) => ({
      async perform(exchange, input) {
        const limit = Number(input.parameters['limit']);
        if (exchange.operation?.id !== 'listPlants') return steps.perform(exchange, input);
        const parameters = { ...input.parameters, limit: limit + more };
        const result = await steps.perform(exchange, { ...input, parameters });
        if (result instanceof Problem || !Array.isArray(result.body) || result.body.length <= limit) return result;
        count();
        const link = result.headers?.['Link']?.replace(`limit=${limit + more}`, `limit=${limit}`);
        return link === undefined ? result : { ...result, headers: { Link: link } };
      },
    })),
  })),
  forEach(
    'undeclared-status',
    pairs([...REFUSED, ...MISSING], [422, 409, 418]),
    ([[operation, from, line], status]) => ({
      does: `${CALLS[operation].title} returns ${status} instead of ${from}.`,
      operation,
      breaks: `${CALLS[operation].at}/responses`,
      show: curl(line),
      clean: String(from),
      wfc: [200],
      plant: changeResponse((response, exchange) =>
        exchange.operation?.id === operation && response.status === from ? { ...response, status } : undefined,
      ),
    }),
  ),
  forEach<readonly [operation: OperationId, to: 'a double' | '32 bits']>(
    'id-rounded',
    [...PLANTS.map((id) => [id, 'a double'] as const), ...PLANTS.map((id) => [id, '32 bits'] as const)],
    ([operation, to]) => ({
      does: `${CALLS[operation].title} returns the id ${to === 'a double' ? 'rounded to a double' : 'cut to 32 bits'}.`,
      operation,
      breaks: to === 'a double' ? '#/components/schemas/PlantId/maximum' : 'Ids are int64, exact end to end.',
      show: CALLS[operation].show
        .replace('"id": 12', '"id": 9223372036854775807')
        .replace('/12', '/9223372036854775807'),
      clean: `${CALLS[operation].clean} with the id 9223372036854775807`,
      wfc: to === 'a double' ? [200] : [],
      cwe: 681,
      plant: changeMembers(operation, 200, ({ id, ...plant }) => {
        const written = id as Written;
        const wrong = to === 'a double' ? String(BigInt(Number(written.rawJSON))) : fits32(written);
        return { id: JSON.rawJSON(wrong), ...plant };
      }),
    }),
  ),
];
