/** Defects of input: the service does not read it by the rules of the description. */

import { INT64_MAX, int64, integer, object, optional, text } from '../contract/schema.ts';
import { PlantId, PlantName, PlantTag } from '../description/openapi.generated.ts';
import { Problem } from '../errors.ts';
import { JSON_IN_UTF8 } from '../http/input.ts';
import {
  changeOperation,
  changeSteps,
  create,
  curl,
  type Plant,
  replaceBodySchema,
  replaceParameterSchema,
  request,
  type TierDefect,
} from './defect.ts';

const MEMBERS = { id: PlantId, name: PlantName, tag: PlantTag };

/** POST /plants reads members of its body by other schemas. */
const readMembers = (others: Partial<typeof MEMBERS>): Plant => {
  const { tag, ...required } = { ...MEMBERS, ...others };
  return replaceBodySchema('createPlant', object({ ...required, tag: optional(tag) }));
};

/** POST /plants refuses the names that `refuses` chooses. */
const refuseNames = (refuses: (name: string) => boolean) => {
  const read: typeof PlantName.read = (value, written, at, errors) => {
    if (typeof value !== 'string' || !refuses(value)) return PlantName.read(value, written, at, errors);
    errors.push(`${at} must be ${PlantName.rule}`);
    return undefined;
  };
  return readMembers({ name: { ...PlantName, read } });
};

/** POST /plants fails if `breaks` chooses the name, which can be any JSON value. */
const failAt = (breaks: (name: unknown) => boolean): Plant => {
  return (count) =>
    changeOperation('createPlant', (operation) => {
      const { body } = operation;
      if (body === undefined) return operation;
      const read: typeof body.read = (value, ...rest) => {
        const name = typeof value === 'object' && value !== null && 'name' in value ? value['name'] : undefined;
        if (!breaks(name)) return body.read(value, ...rest);
        count();
        throw new Error('a planted defect');
      };
      return { ...operation, body: { ...body, read } };
    });
};

export const inputDefects: readonly TierDefect[] = [
  {
    name: 'limit-1001-accepted',
    does: 'A list accepts a limit of 1001.',
    operation: 'listPlants',
    breaks: '#/paths/~1plants/get/parameters/0/schema/maximum',
    show: curl(request('/plants?limit=1001')),
    clean: '400 with the error 40006',
    wfc: [206],
    cwe: 1284,
    plant: replaceParameterSchema('listPlants', 'limit', integer(1, 1001)),
  },
  {
    name: 'limit-1000-refused',
    does: 'A list refuses a limit of 1000, the highest.',
    operation: 'listPlants',
    breaks: '#/paths/~1plants/get/parameters/0/schema/maximum',
    show: curl(request('/plants?limit=1000')),
    clean: '200',
    wfc: [207],
    cwe: 193,
    plant: replaceParameterSchema('listPlants', 'limit', integer(1, 999)),
  },
  {
    name: 'name-1025-accepted',
    does: 'A name of 1,025 characters is stored.',
    operation: 'createPlant',
    breaks: '#/components/schemas/PlantName/maxLength',
    show: curl(create(`{"id": 12, "name": "'$(printf %01025d 0)'"}`)),
    clean: '400 with the error 40005',
    wfc: [206],
    cwe: 1284,
    plant: readMembers({ name: text({ maxLength: 1025, pattern: /^[^\x00]*$/u, rule: PlantName.rule }) }),
  },
  {
    name: 'name-counted-in-utf-16',
    does: 'A name of 1,024 emoji is refused, since each emoji counts twice.',
    operation: 'createPlant',
    breaks: '#/components/schemas/PlantName/maxLength',
    show: curl(create(`{"id": 12, "name": "'$(printf '🌵%.0s' $(seq 1024))'"}`)),
    clean: '200',
    wfc: [207],
    cwe: 135,
    plant: refuseNames((name) => name.length > 1024),
  },
  {
    name: 'empty-name-refused',
    does: 'The empty name is refused.',
    operation: 'createPlant',
    breaks: '#/components/schemas/PlantName',
    show: curl(create('{"id": 12, "name": ""}')),
    clean: '200',
    wfc: [207],
    plant: refuseNames((name) => name === ''),
  },
  {
    name: 'text-taken-for-an-id',
    does: 'An id that is a string of digits is accepted as a number.',
    operation: 'createPlant',
    breaks: '#/components/schemas/PlantId/type',
    show: curl(create('{"id": "12", "name": "Aloe vera"}')),
    clean: '400 with the error 40005',
    wfc: [206],
    cwe: 1287,
    plant: readMembers({
      id: {
        ...PlantId,
        read: (value, written, at, errors) =>
          typeof value === 'string' ? PlantId.readText(value, at, errors) : PlantId.read(value, written, at, errors),
      },
    }),
  },
  {
    name: 'tag-null-accepted',
    does: 'POST /plants accepts "tag": null and stores a plant without a tag.',
    operation: 'createPlant',
    breaks: '#/components/schemas/PlantTag/type',
    show: curl(create('{"id": 12, "name": "Aloe vera", "tag": null}')),
    clean: '400 with the error 40005',
    wfc: [206],
    cwe: 1287,
    plant: readMembers({
      tag: { ...PlantTag, read: (value, ...rest) => (value === null ? undefined : PlantTag.read(value, ...rest)) },
    }),
  },
  {
    name: 'any-content-type-accepted',
    does: 'POST /plants reads a body of any media type as JSON.',
    operation: 'createPlant',
    breaks: '#/paths/~1plants/post/requestBody/content',
    show: curl(request('/plants', `-H "Content-Type: text/plain" -d '{"id": 12, "name": "Aloe vera"}'`)),
    clean: '400 with the error 40002',
    wfc: [206],
    cwe: 436,
    plant: changeSteps((steps, count) => ({
      async readInput(exchange) {
        const { headers } = exchange.request;
        const type = headers['content-type'] ?? 'application/json';
        if (exchange.operation?.id !== 'createPlant' || JSON_IN_UTF8.test(type)) return steps.readInput(exchange);
        headers['content-type'] = 'application/json';
        try {
          const input = await steps.readInput(exchange);
          count();
          return input;
        } catch (error) {
          // The clean service refuses the type after a body that is absent, and before any other body.
          if (error instanceof Problem && error.code > 40002 && error.code < 40006) count();
          throw error;
        }
      },
    })),
  },
  {
    name: 'highest-id-refused',
    does: 'The id 9223372036854775807 is refused.',
    operation: 'createPlant',
    breaks: '#/components/schemas/PlantId/maximum',
    show: curl(create('{"id": 9223372036854775807, "name": "Aloe vera"}')),
    clean: '200',
    wfc: [207],
    cwe: 193,
    plant: readMembers({ id: int64(undefined, INT64_MAX - 1n) }),
  },
  {
    name: 'fails-at-an-emoji',
    does: 'A name with an emoji causes a 500.',
    operation: 'createPlant',
    breaks: '#/components/schemas/PlantName/pattern',
    show: curl(create('{"id": 12, "name": "🌵"}')),
    clean: '200',
    wfc: [100],
    cwe: 176,
    plant: failAt((name) => typeof name === 'string' && /[\u{10000}-\u{10ffff}]/u.test(name)),
  },
  {
    name: 'fails-at-a-surrogate',
    does: 'A name with an unpaired surrogate causes a 500.',
    operation: 'createPlant',
    breaks: 'without U+0000 or unpaired surrogates',
    show: curl(create('{"id": 12, "name": "\\ud800"}')),
    clean: '400 with the error 40005',
    wfc: [100],
    cwe: 176,
    plant: failAt((name) => typeof name === 'string' && !name.isWellFormed()),
  },
  {
    name: 'fails-at-an-object',
    does: 'A name that is an object causes a 500.',
    operation: 'createPlant',
    breaks: '#/components/schemas/PlantName/type',
    show: curl(create('{"id": 12, "name": {"en": "Aloe vera"}}')),
    clean: '400 with the error 40005',
    wfc: [100],
    cwe: 248,
    plant: failAt((name) => typeof name === 'object' && name !== null && !Array.isArray(name)),
  },
];
