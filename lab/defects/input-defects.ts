/** Defects of input: the service does not read it by the rules of the description. */
import type { Json } from '../../src/contract/json.ts';
import { PlantId, PlantName, PlantTag } from '../../src/contract/openapi.generated.ts';
import { INT64_MAX, INT64_MIN, integer, object, optional, text } from '../../src/contract/schema.ts';
import { JSON_IN_UTF8 } from '../../src/http/read-input.ts';
import type { OperationId, Plant, TierDefect } from './defect.ts';
import { ALOE, CALLS, create, example, FIELDS, type Field, fieldOf, request, schemaOf, titleOf } from './examples.ts';
import { changeSteps, recovering, replaceBodySchema, replaceParameterSchema } from './planting.ts';
import { forEach, pairs } from './variants.ts';

const MEMBERS = { id: PlantId, name: PlantName, tag: PlantTag };

/** Reads members of a body by other schemas. */
function readMembers(operation: OperationId, others: Partial<typeof MEMBERS>): Plant {
  const { id, name, tag } = { ...MEMBERS, ...others };
  const plant = { name, tag: optional(tag) };
  return replaceBodySchema(operation, () => (operation === 'createPlant' ? object({ id, ...plant }) : object(plant)));
}

/** Refuses the texts of a field that `refuses` chooses. */
const refuseTexts = ([operation, member]: Field, refuses: (text: string) => boolean): Plant => {
  const clean = MEMBERS[member];
  const read: typeof clean.read = (value, written, at, errors) => {
    if (typeof value !== 'string' || !refuses(value)) return clean.read(value, written, at, errors);
    errors.push(`${at} must be ${clean.rule}`);
    return undefined;
  };
  return readMembers(operation, { [member]: { ...clean, read } });
};

/** Printed with `printf` by the shell, as a text of this many characters. */
const repeat = (character: string, times: number) => `"'$(printf '${character}%.0s' $(seq ${times}))'"`;
const LIMIT = '#/paths/~1plants/get/parameters/0/schema';

export const inputDefects: readonly TierDefect[] = [
  forEach('limit-too-high-accepted', [1001, 1002, 1010, 1024, 2000, 5000], (limit) => ({
    does: `A list accepts a limit of up to ${limit}.`,
    operation: 'listPlants',
    breaks: `${LIMIT}/maximum`,
    ...example('400 with the error 40006', request(`/plants?limit=${limit}`)),
    classes: { wfc: [206], cwe: 1284 },
    plant: replaceParameterSchema('listPlants', 'limit', integer(1, limit)),
  })),
  forEach('valid-limit-refused', [1000, 999, 101, 512, 501, 1], (limit) => ({
    does:
      `A list refuses a limit of ${limit}` +
      `${limit === 1000 ? ', the highest' : limit === 1 ? ', the lowest' : ' or more'}.`,
    operation: 'listPlants',
    breaks: `${LIMIT}/${limit === 1 ? 'minimum' : 'maximum'}`,
    ...example('200', request(`/plants?limit=${limit}`)),
    classes: { wfc: [207], cwe: 193 },
    plant: replaceParameterSchema('listPlants', 'limit', limit === 1 ? integer(2, 1000) : integer(1, limit - 1)),
  })),
  forEach('text-too-long-accepted', pairs(FIELDS, [1025, 1026]), ([field, most]) => ({
    does: `${titleOf(field)} of up to ${most} characters is accepted.`,
    breaks: `${schemaOf(field)}/maxLength`,
    ...fieldOf(field, repeat('0', most), 400),
    classes: { wfc: [206], cwe: 1284 },
    plant: readMembers(field[0], {
      [field[1]]: text({ maxLength: most, pattern: /^[^\x00]*$/u, rule: PlantName.rule }),
    }),
  })),
  forEach('text-length-miscounted', pairs(FIELDS, ['UTF-16', 'UTF-8']), ([field, encoding]) => ({
    does: `${titleOf(field)} of 1,024 emoji is refused, since the length is counted in ${encoding}.`,
    breaks: `${schemaOf(field)}/maxLength`,
    ...fieldOf(field, repeat('🌵', 1024), 200),
    classes: { wfc: [207], cwe: 135 },
    plant: refuseTexts(field, (value) => (encoding === 'UTF-8' ? Buffer.byteLength(value) : value.length) > 1024),
  })),
  forEach(
    'valid-text-refused',
    pairs<Field, readonly [what: string, example: string, pattern: RegExp]>(FIELDS, [
      ['that is empty', '""', /^$/],
      ['that begins with a space', '" Aloe"', /^ /],
      ['that has a character beyond ASCII', '"Ålöe"', /[^\x00-\x7f]/],
    ]),
    ([field, [what, example, pattern]]) => ({
      does: `${titleOf(field)} ${what} is refused.`,
      breaks: schemaOf(field),
      ...fieldOf(field, example, 200),
      classes: { wfc: [207] },
      plant: refuseTexts(field, (value) => pattern.test(value)),
    }),
  ),
  forEach<readonly [what: string, example: string, idOf: (value: Json) => string | undefined]>(
    'id-of-another-type-accepted',
    [
      ['a string of digits', '"12"', (value) => (typeof value === 'string' ? value : undefined)],
      [
        'a number with a fraction',
        '12.5',
        (value) => (typeof value === 'number' && !Number.isInteger(value) ? value.toFixed() : undefined),
      ],
      ['true', 'true', (value) => (value === true ? '1' : undefined)],
      ['null', 'null', (value) => (value === null ? '0' : undefined)],
      ['an array', '[]', (value) => (Array.isArray(value) ? String(value.length) : undefined)],
      [
        'an object',
        '{}',
        (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? '0' : undefined),
      ],
    ],
    ([what, value, idOf]) => ({
      does: `POST /plants accepts an id that is ${what}.`,
      operation: 'createPlant',
      breaks: '#/components/schemas/PlantId/type',
      ...example('400 with the error 40005', create(`{"id": ${value}, "name": "Aloe vera"}`)),
      classes: { wfc: [206], cwe: 1287 },
      plant: readMembers('createPlant', {
        id: {
          ...PlantId,
          read(value, written, at, errors) {
            const id = idOf(value);
            return id === undefined ? PlantId.read(value, written, at, errors) : PlantId.readText(id, at, errors);
          },
        },
      }),
    }),
  ),
  forEach<readonly [field: Field, example: null | 5, as: string]>(
    'text-of-another-type-accepted',
    [
      [['createPlant', 'tag'], null, 'a plant without a tag'],
      [['replacePlant', 'tag'], null, 'a plant without a tag'],
      [['createPlant', 'name'], null, 'an empty name'],
      [['replacePlant', 'name'], null, 'an empty name'],
      ...FIELDS.map((field) => [field, 5, 'the text "5"'] as const),
    ],
    ([[operation, member], example, as]) => ({
      does: `${CALLS[operation].title} accepts "${member}": ${example} and stores ${as}.`,
      breaks: `${schemaOf([operation, member])}/type`,
      ...fieldOf([operation, member], String(example), 400),
      classes: { wfc: [206], cwe: 1287 },
      plant: readMembers(operation, {
        [member]: {
          ...MEMBERS[member],
          read(...given: Parameters<typeof PlantName.read>) {
            const [value] = given;
            if (typeof value !== typeof example || (value === null) !== (example === null)) {
              return MEMBERS[member].read(...given);
            }
            return value !== null ? String(value) : member === 'name' ? '' : undefined;
          },
        },
      }),
    }),
  ),
  forEach(
    'other-content-type-accepted',
    pairs<'createPlant' | 'replacePlant', readonly [what: string, example: string, pattern: RegExp]>(
      ['createPlant', 'replacePlant'],
      [
        ['any media type', 'text/plain', /^/],
        ['text/plain', 'text/plain', /^text\/plain/],
        ['a form', 'application/x-www-form-urlencoded', /form/],
        ['a type that ends with +json', 'application/vnd.api+json', /\+json$/],
        ['application/json in another charset', 'application/json; charset=iso-8859-1', /^application\/json *;/],
      ],
    ),
    ([operation, [what, type, pattern]]) => ({
      does: `${CALLS[operation].title} reads a body of ${what} as JSON.`,
      operation,
      breaks: `${CALLS[operation].at}/requestBody/content`,
      ...example(
        '200, then 400 with the error 40002',
        create(ALOE),
        CALLS[operation].send().replace('application/json', type),
      ),
      classes: { wfc: [206], cwe: 436 },
      plant: changeSteps((steps, count) => ({
        async readInput(exchange) {
          const { headers } = exchange.request;
          const type = headers['content-type'] ?? 'application/json';
          if (exchange.operation?.id !== operation || JSON_IN_UTF8.test(type) || !pattern.test(type)) {
            return steps.readInput(exchange);
          }
          headers['content-type'] = 'application/json';
          const read = recovering(steps.readInput, (problem) => {
            // The clean service refuses the type after a body that is absent, and before any other body.
            if (problem.code > 40002 && problem.code < 40006) count();
            throw problem;
          });
          const input = await read(exchange);
          count();
          return input;
        },
      })),
    }),
  ),
  forEach('valid-id-refused', [INT64_MAX, INT64_MIN, 0n, -1n, 9007199254740993n, INT64_MAX - 1n], (refused) => ({
    does: `The id ${refused} is refused.`,
    operation: 'createPlant',
    breaks: '#/components/schemas/PlantId',
    ...example('200', create(`{"id": ${refused}, "name": "Aloe vera"}`)),
    classes: { wfc: [207], cwe: 193 },
    plant: readMembers('createPlant', {
      id: {
        ...PlantId,
        read(value, written, at, errors) {
          const id = PlantId.read(value, written, at, errors);
          if (id === refused) errors.push(`${at} must be ${PlantId.rule}`);
          return id;
        },
      },
    }),
  })),
];
