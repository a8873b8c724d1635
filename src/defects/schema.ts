/** Defects of responses: they differ from the description. */

import { array, object, optional } from '../contract/schema.ts';
import { PlantId, PlantName, PlantTag } from '../description/openapi.generated.ts';
import { Problem } from '../errors.ts';
import type { Response } from '../http/response.ts';
import type { StoredPlant } from '../plants/plant.ts';
import { CALLS } from './calls.ts';
import {
  ALOE,
  changeResponse,
  changeSteps,
  create,
  curl,
  type OperationId,
  removeFields,
  replaceBodyWriter,
  request,
  type TierDefect,
} from './defect.ts';

const Nameless = object({ id: PlantId, tag: optional(PlantTag) });
const IdAsText = object({
  id: { ...PlantId, write: (id: bigint) => `"${id}"` },
  name: PlantName,
  tag: optional(PlantTag),
});

const withError = ({ headers, problem, ...response }: Response, error: number | undefined): Response => ({
  ...response,
  headers,
  body: JSON.stringify({ error, message: problem?.message }),
});

export const schemaDefects: readonly TierDefect[] = [
  {
    name: 'required-member-missing',
    does: 'GET /plants/{id} returns a plant without its name.',
    operation: 'getPlant',
    breaks: '#/components/schemas/StoredPlant/required',
    show: curl(create(ALOE), request('/plants/12')),
    clean: '200, then 200 with id, name and tag',
    wfc: [200],
    plant: replaceBodyWriter<StoredPlant>('getPlant', (plant) => Nameless.write(plant)),
  },
  {
    name: 'id-as-text',
    does: 'The ids in a list are strings.',
    operation: 'listPlants',
    breaks: '#/components/schemas/PlantId/type',
    show: curl(create(ALOE), request('/plants')),
    clean: '200, then 200 with the id as a number',
    wfc: [200],
    plant: replaceBodyWriter<readonly StoredPlant[]>('listPlants', (plants) => array(IdAsText).write(plants)),
  },
  {
    name: 'tag-null',
    does: 'GET /plants/{id} returns "tag": null for a plant without a tag.',
    operation: 'getPlant',
    breaks: '#/components/schemas/PlantTag/type',
    show: curl(create('{"id": 12, "name": "Aloe vera"}'), request('/plants/12')),
    clean: '200, then 200 without a member tag',
    wfc: [200],
    plant: replaceBodyWriter<StoredPlant>('getPlant', (plant, clean) =>
      plant.tag === undefined ? clean.write(plant).replace(/\}$/, ',"tag":null}') : clean.write(plant),
    ),
  },
  {
    name: 'created-201',
    vary(draw) {
      const [operation, status] = draw.of<readonly [OperationId, number]>(
        ['createPlant', 201],
        ['createPlant', 202],
        ['getPlant', 203],
        ['listPlants', 206],
        ['replacePlant', 201],
        ['replacePlant', 202],
        ['deletePlant', 202],
      );
      const { title, at, show, clean } = CALLS[operation];
      return {
        does: `${title} returns ${status}.`,
        operation,
        breaks: `${at}/responses`,
        show,
        clean,
        wfc: [200],
        plant: changeResponse((response, exchange) =>
          exchange.operation?.id === operation && response.status < 300
            ? { ...response, status, body: response.body ?? '' }
            : undefined,
        ),
      };
    },
  },
  {
    name: 'error-without-number',
    does: 'The 404 for a missing plant has no error number.',
    operation: 'getPlant',
    breaks: '#/components/schemas/Error/required',
    show: curl(request('/plants/12')),
    clean: '404 with the error 40401',
    wfc: [200],
    plant: changeResponse((response, { operation }) =>
      operation?.id === 'getPlant' && response.status === 404 ? withError(response, undefined) : undefined,
    ),
  },
  {
    name: 'error-of-another-status',
    does: 'The 404 for a missing plant has the error number 40001.',
    operation: 'getPlant',
    breaks: 'Numeric error value, the HTTP status followed by two digits',
    show: curl(request('/plants/12')),
    clean: '404 with the error 40401',
    wfc: [],
    plant: changeResponse((response, { operation }) =>
      operation?.id === 'getPlant' && response.status === 404 ? withError(response, 40001) : undefined,
    ),
  },
  {
    name: 'error-as-plain-text',
    does: 'A refused POST /plants returns text/plain.',
    operation: 'createPlant',
    breaks: '#/components/responses/CreateRefused/content',
    show: curl(create('{"id": 12}')),
    clean: '400 in application/json',
    wfc: [200],
    plant: changeResponse((response, { operation }) => {
      const { status, headers, problem } = response;
      if (operation?.id !== 'createPlant' || status !== 400) return undefined;
      return { ...response, headers: { ...headers, 'Content-Type': 'text/plain' }, body: problem?.message ?? '' };
    }),
  },
  {
    name: 'location-missing',
    does: 'POST /plants returns no Location.',
    operation: 'createPlant',
    breaks: '#/components/headers/Location/required',
    show: curl(create(ALOE)),
    clean: '200 with Location: /plants/12',
    wfc: [200],
    plant: removeFields((_, { operation }) => (operation?.id === 'createPlant' ? ['Location'] : undefined)),
  },
  {
    name: 'etag-missing',
    does: 'GET /plants/{id} returns no ETag.',
    operation: 'getPlant',
    breaks: '#/components/headers/ETag/required',
    show: curl(create(ALOE), request('/plants/12')),
    clean: '200, then 200 with an ETag',
    wfc: [200],
    plant: removeFields((_, { operation }) => (operation?.id === 'getPlant' ? ['ETag'] : undefined)),
  },
  {
    name: 'challenge-missing',
    does: 'A 401 has no WWW-Authenticate.',
    operation: 'any',
    breaks: '#/components/headers/WWWAuthenticate/required',
    show: curl(request('/plants', '', null)),
    clean: '401 with WWW-Authenticate',
    wfc: [109, 200],
    plant: removeFields(({ status }) => (status === 401 ? ['WWW-Authenticate'] : undefined)),
  },
  {
    name: 'list-too-long',
    does: 'A page has one plant more than its limit.',
    operation: 'listPlants',
    breaks: 'The maximum number of plants on a page.',
    show: curl(create(ALOE), create('{"id": 13, "name": "Agave"}'), request('/plants?limit=1')),
    clean: '200, then 200 with one plant',
    wfc: [],
    cwe: 193,
    plant: changeSteps((steps, count) => ({
      async perform(exchange, input) {
        const limit = Number(input.parameters['limit']);
        if (exchange.operation?.id !== 'listPlants') return steps.perform(exchange, input);
        const parameters = { ...input.parameters, limit: limit + 1 };
        const result = await steps.perform(exchange, { ...input, parameters });
        if (result instanceof Problem || !Array.isArray(result.body) || result.body.length <= limit) return result;
        count();
        const link = result.headers?.['Link']?.replace(`limit=${limit + 1}`, `limit=${limit}`);
        return link === undefined ? result : { ...result, headers: { Link: link } };
      },
    })),
  },
  {
    name: 'undeclared-status',
    does: 'A body that violates the schema gets 422.',
    operation: 'createPlant',
    breaks: '#/paths/~1plants/post/responses',
    show: curl(create('{"id": 12}')),
    clean: '400',
    wfc: [200],
    plant: changeResponse((response, { operation }) =>
      operation?.id === 'createPlant' && response.problem?.code === 40005 ? { ...response, status: 422 } : undefined,
    ),
  },
  {
    name: 'id-rounded',
    does: 'GET /plants/{id} returns the id rounded to a double.',
    operation: 'getPlant',
    breaks: '#/components/schemas/PlantId/maximum',
    show: curl(create('{"id": 9223372036854775807, "name": "Aloe vera"}'), request('/plants/9223372036854775807')),
    clean: '200, then 200 with the id 9223372036854775807',
    wfc: [200],
    cwe: 681,
    plant: replaceBodyWriter<StoredPlant>('getPlant', (plant, clean) =>
      clean.write(plant).replace(`"id":${plant.id}`, `"id":${BigInt(Number(plant.id))}`),
    ),
  },
];
