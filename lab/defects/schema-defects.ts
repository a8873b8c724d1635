/** Defects of responses: they differ from the description. */
import { INT64_MAX } from '../../src/contract/schema.ts';
import { Problem } from '../../src/errors.ts';
import type { OperationId, TierDefect } from './defect.ts';
import { ALOE, CALLS, callOf, create, example, replace, request } from './examples.ts';
import {
  changeField,
  changeMembers,
  changePerform,
  changeResponse,
  removeFields,
  type Written,
  withParameters,
} from './planting.ts';
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
/** An example with the request. `more`: what else the clean service responds. */
const refusalOf = ([operation, status, line]: Failure, more: string) => ({
  operation,
  ...example(`${status} ${more}`, line),
});
const HIGHEST = String(INT64_MAX);
const fits32 = ({ rawJSON }: Written) => String(BigInt.asIntN(32, BigInt(rawJSON)));
const PLANTS: readonly OperationId[] = ['getPlant', 'listPlants', 'replacePlant'];
const capital = (member: string) => member.replace(/^./, (first) => first.toUpperCase());

export const schemaDefects: readonly TierDefect[] = [
  forEach<readonly [operation: OperationId, member: string]>(
    'required-member-missing',
    [...PLANTS.flatMap((id) => [[id, 'name'] as const, [id, 'id'] as const]), ['createPlant', 'name']],
    ([operation, member]) => ({
      does: `${CALLS[operation].title} returns a plant without its ${member}.`,
      ...callOf(operation, `with the ${member}`),
      breaks: `#/components/schemas/${operation === 'createPlant' ? 'Plant' : 'StoredPlant'}/required`,
      classes: { wfc: [200] },
      plant: changeMembers(operation, 200, ({ [member]: _, ...rest }) => rest),
    }),
  ),
  forEach<readonly [operation: OperationId, member: string, kind: string, change: (value: unknown) => unknown]>(
    'member-of-another-type',
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
      ...callOf(operation, `with the ${member} as described`),
      breaks: `#/components/schemas/Plant${capital(member)}/type`,
      classes: { wfc: [200] },
      plant: changeMembers(operation, 200, (plant) => ({ ...plant, [member]: change(plant[member]) })),
    }),
  ),
  forEach<readonly [operation: OperationId, value: null | false | 0]>(
    'absent-tag-returned',
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
      ...callOf(operation, 'without a member tag', (line) => line.replace(', "tag": "succulent"', '')),
      breaks: '#/components/schemas/PlantTag/type',
      classes: { wfc: [200] },
      plant: changeMembers(operation, 200, (plant) => ({ ...plant, tag: plant['tag'] ?? tag })),
    }),
  ),
  forEach<readonly [operation: OperationId, status: number]>(
    'success-status-undeclared',
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
      ...callOf(operation),
      breaks: `${CALLS[operation].at}/responses`,
      classes: { wfc: [200] },
      plant: changeResponse(operation, CALLS[operation].status, (response) => {
        return { ...response, status, body: response.body ?? '' };
      }),
    }),
  ),
  forEach('error-member-missing', pairs([...MISSING, ...REFUSED], ['error', 'message']), ([failure, member]) => ({
    does: `${titleOf(failure)} has no ${member === 'error' ? 'error number' : 'message'}.`,
    ...refusalOf(failure, 'with error and message'),
    breaks: '#/components/schemas/Error/required',
    classes: { wfc: [200] },
    plant: changeMembers(failure[0], failure[1], ({ [member]: _, ...rest }) => rest),
  })),
  forEach(
    'error-of-another-status',
    [...pairs(MISSING, [40001, 40900, 50000]), ...pairs(REFUSED, [40401, 42200])],
    ([failure, error]) => ({
      does: `${titleOf(failure)} has the error number ${error}.`,
      ...refusalOf(failure, 'with an error number of this status'),
      breaks: 'Numeric error value, the HTTP status followed by two digits',
      plant: changeMembers(failure[0], failure[1], (members) => ({ ...members, error })),
    }),
  ),
  forEach('error-not-json', pairs([...REFUSED, ...MISSING], ['text/plain', 'text/html']), ([failure, type]) => ({
    does: `${titleOf(failure)} is ${type}.`,
    ...refusalOf(failure, 'in application/json'),
    breaks: `${CALLS[failure[0]].at}/responses/${failure[1]}`,
    classes: { wfc: [200] },
    plant: changeResponse(failure[0], failure[1], (response) => {
      const headers = { ...response.headers, 'Content-Type': type };
      return { ...response, headers, body: response.problem?.message ?? '' };
    }),
  })),
  {
    name: 'location-missing',
    does: 'POST /plants returns no Location.',
    ...callOf('createPlant', 'with Location: /plants/12'),
    breaks: '#/components/headers/Location/required',
    classes: { wfc: [200] },
    plant: changeField('createPlant', 200, 'Location', () => undefined),
  },
  forEach<readonly [operation: OperationId, what: string, change: (tag: string) => string | undefined]>(
    'strong-etag-missing',
    (['getPlant', 'replacePlant'] as const).flatMap((id) => [
      [id, 'no ETag', () => undefined],
      [id, 'an ETag without quotation marks', (tag) => tag.slice(1, -1)],
      [id, 'a weak ETag', (tag) => `W/${tag}`],
      [id, 'an ETag in single quotation marks', (tag) => tag.replaceAll('"', "'")],
    ]),
    ([operation, what, change]) => ({
      does: `${CALLS[operation].title} returns ${what}.`,
      ...callOf(operation, 'with a strong ETag'),
      breaks: `#/components/headers/ETag/${what === 'no ETag' ? 'required' : 'schema/pattern'}`,
      classes: { wfc: [200] },
      plant: changeField(operation, 'any', 'ETag', (tag) => (tag === '' ? undefined : change(tag))),
    }),
  ),
  forEach<OperationId | 'any'>(
    'challenge-missing',
    ['any', 'createPlant', 'getPlant', 'listPlants', 'replacePlant', 'deletePlant'],
    (id) => ({
      does: `A 401${id === 'any' ? '' : ` of ${CALLS[id].title}`} has no WWW-Authenticate.`,
      operation: id,
      breaks: '#/components/headers/WWWAuthenticate/required',
      ...example('401 with WWW-Authenticate', CALLS[id === 'any' ? 'listPlants' : id].send(null)),
      classes: { wfc: [109, 200] },
      plant: removeFields(['WWW-Authenticate'], (status, of) => status === 401 && (id === 'any' || of === id)),
    }),
  ),
  forEach('list-too-long', [1, 2, 3, 4, 5, 10], (more) => ({
    does: `A page has ${more === 1 ? 'one plant' : `up to ${more} plants`} more than its limit.`,
    operation: 'listPlants',
    breaks: 'The maximum number of plants on a page.',
    ...example(
      '200, then 200 with one plant',
      create(ALOE),
      create('{"id": 13, "name": "Agave"}'),
      request('/plants?limit=1'),
    ),
    classes: { cwe: 193 },
    plant: changePerform('listPlants', async (perform, input, count) => {
      const limit = Number(input.parameters['limit']);
      const result = await perform(withParameters(input, { limit: limit + more }));
      if (result instanceof Problem || !Array.isArray(result.body) || result.body.length <= limit) return result;
      count();
      const link = result.headers?.['Link']?.replace(`limit=${limit + more}`, `limit=${limit}`);
      return link === undefined ? result : { ...result, headers: { Link: link } };
    }),
  })),
  forEach(
    'error-status-undeclared',
    pairs([...REFUSED, ...MISSING], [422, 409, 418]),
    ([[operation, from, line], status]) => ({
      does: `${CALLS[operation].title} returns ${status} instead of ${from}.`,
      operation,
      breaks: `${CALLS[operation].at}/responses`,
      ...example(String(from), line),
      classes: { wfc: [200] },
      plant: changeResponse(operation, from, (response) => ({ ...response, status })),
    }),
  ),
  forEach<readonly [operation: OperationId, to: 'a double' | '32 bits']>(
    'id-inexact',
    [...PLANTS.map((id) => [id, 'a double'] as const), ...PLANTS.map((id) => [id, '32 bits'] as const)],
    ([operation, to]) => ({
      does: `${CALLS[operation].title} returns the id ${to === 'a double' ? 'rounded to a double' : 'cut to 32 bits'}.`,
      ...callOf(operation, `with the id ${HIGHEST}`, (line) => line.replaceAll('12', HIGHEST)),
      breaks: to === 'a double' ? '#/components/schemas/PlantId/maximum' : 'Ids are int64, exact end to end.',
      classes: { wfc: to === 'a double' ? [200] : [], cwe: 681 },
      plant: changeMembers(operation, 200, ({ id, ...plant }) => {
        const written = id as Written;
        const wrong = to === 'a double' ? String(BigInt(Number(written.rawJSON))) : fits32(written);
        return { id: JSON.rawJSON(wrong), ...plant };
      }),
    }),
  ),
];
