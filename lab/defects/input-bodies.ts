/** Defects of input that is read too leniently or too strictly: bodies, ids in paths, and repeated parameters. */
import { buffer } from 'node:stream/consumers';
import { type Json, parseJson } from '../../src/contract/json.ts';
import { PlantId, PlantName, PlantTag } from '../../src/contract/openapi.generated.ts';
import { object, optional } from '../../src/contract/schema.ts';
import { Problem } from '../../src/errors.ts';
import type { AnyInput, Exchange } from '../../src/http/exchange.ts';
import type { Plant, TierDefect } from './defect.ts';
import { ALOE, create, curl, example, replace, request } from './examples.ts';
import { changeSteps, recovering, replaceBodySchema, replaceParameterSchema } from './planting.ts';
import { forEach } from './variants.ts';

const withMore = (more: string) => `{"id": 12, "name": "Aloe vera", "tag": "succulent"${more}}`;

/** Reads other bytes as a body of POST /plants that the service refused. Undefined: it stays refused. */
const readBytes = (code: Problem['code'], bytesOf: (exchange: Exchange) => Promise<Buffer | undefined>): Plant =>
  changeSteps((steps, count) => ({
    readInput: recovering<AnyInput>(steps.readInput, async (refused, exchange) => {
      const { operation } = exchange;
      if (operation?.id !== 'createPlant' || refused.code !== code) throw refused;
      const bytes = await bytesOf(exchange);
      const json = bytes === undefined ? undefined : parseJson(bytes);
      if (json === undefined || 'error' in json) throw refused;
      count();
      const errors: string[] = [];
      const body = operation.body?.read(json.value, json.written, '', errors);
      if (errors.length > 0) throw new Problem(40005, `${errors.join('; ')}.`);
      return { parameters: {}, body };
    }),
  }));

/** A longer body is refused. It is over the default limit, and under the highest. */
const MAX_BYTES = 2 ** 19;

export const bodyDefects: readonly TierDefect[] = [
  forEach<readonly [what: string, json: string, isMeant: (value: Json) => boolean]>(
    'replace-coerces',
    [
      ['a number', '12', (value) => typeof value === 'number'],
      ['true or false', 'true', (value) => typeof value === 'boolean'],
      ['null', 'null', (value) => value === null],
      ['an array', '["Agave"]', (value) => Array.isArray(value)],
      ['an object', '{"en": "Agave"}', (value) => value !== null && typeof value === 'object' && !Array.isArray(value)],
      ['a fraction', '1.5', (value) => typeof value === 'number' && !Number.isInteger(value)],
    ],
    ([what, json, isMeant]) => ({
      does: `PUT /plants/{id} accepts ${what} as the name, and stores it as text.`,
      operation: 'replacePlant',
      breaks: '#/components/schemas/PlantName/type',
      ...example('200, then 400 with the error 40005', create(ALOE), replace(12, `{"name": ${json}}`)),
      classes: { wfc: [206], cwe: 1287 },
      plant: replaceBodySchema('replacePlant', () => {
        const read: typeof PlantName.read = (value, ...rest) =>
          PlantName.read(isMeant(value) ? JSON.stringify(value) : value, ...rest);
        return object({ name: { ...PlantName, read }, tag: optional(PlantTag) });
      }),
    }),
  ),
  forEach<readonly [what: string, json: string, repair: (text: string) => string]>(
    'json-read-leniently',
    [
      ['a trailing comma', withMore(','), (text) => text.replace(/,(\s*\})/g, '$1')],
      ['a comment', withMore(' /* new */'), (text) => text.replace(/\/\*.*?\*\//gs, '')],
      ['a byte order mark', `\uFEFF${ALOE}`, (text) => text.replace(/^\xef\xbb\xbf/, '')],
      ['text behind it', `${ALOE} 12`, (text) => text.slice(0, text.lastIndexOf('}') + 1)],
      ['names without quotation marks', '{id: 12, name: "A"}', (text) => text.replace(/([{,]\s*)(\w+):/g, '$1"$2":')],
      ['tabs in texts', '{"id": 12, "name": "Aloe\tvera"}', (text) => text.replaceAll('\t', ' ')],
    ],
    ([what, json, repair]) => ({
      does: `POST /plants accepts JSON with ${what}.`,
      operation: 'createPlant',
      breaks: 'The body is not JSON, or not UTF-8.',
      ...example('400 with the error 40004', create(json)),
      classes: { wfc: [206] },
      // In latin1 each byte is a character, so bytes that are not UTF-8 stay what they are.
      plant: readBytes(40004, async ({ body }) => Buffer.from(repair(body?.toString('latin1') ?? ''), 'latin1')),
    }),
  ),
  {
    name: 'body-size-not-limited',
    does: 'POST /plants accepts a body over the size limit.',
    operation: 'createPlant',
    breaks: 'The body is over the size limit.',
    show: `(printf '%070000d' 0 | tr 0 ' '; echo '${ALOE}') | ${curl(create('@-'))}`,
    clean: '400 with the error 40003',
    classes: { wfc: [206], owasp: 'API4', cwe: 770 },
    plant: readBytes(40003, async ({ request }) => {
      const isUnread = Number(request.headers['content-length']) <= MAX_BYTES && !request.readableDidRead;
      return isUnread ? buffer(request).catch(() => undefined) : undefined;
    }),
  },
  forEach<readonly [what: string, written: string, pattern: RegExp]>(
    'path-id-read-leniently',
    [
      ['leading zeros', '012', /^(-?)0+(\d+)$/],
      ['a plus sign', '%2B12', /^\+()(\d+)$/],
      ['a fraction of zeros', '12.0', /^(-?)(\d+)\.0+$/],
      ['white space before it', '%2012', /^\s+(-?)(\d+)$/],
      ['white space after it', '12%20', /^(-?)(\d+)\s+$/],
      ['letters after it', '12abc', /^(-?)(\d+)[a-z]+$/i],
    ],
    ([what, written, pattern]) => ({
      does: `GET /plants/{id} accepts an id with ${what}.`,
      operation: 'getPlant',
      breaks: "The plant's id in plain decimal notation: no plus sign, no leading zero, no fraction, no exponent.",
      ...example('200, then 400 with the error 40006', create(ALOE), request(`/plants/${written}`)),
      classes: { wfc: [206] },
      plant: replaceParameterSchema('getPlant', 'id', {
        ...PlantId,
        readText(text, ...rest) {
          const [, sign = '', digits] = pattern.exec(text) ?? [];
          return PlantId.readText(digits === undefined ? text : `${sign}${BigInt(digits)}`, ...rest);
        },
      }),
    }),
  ),
  {
    name: 'repeated-parameter-accepted',
    does: 'GET /plants accepts a repeated parameter and uses its last value.',
    operation: 'listPlants',
    breaks: '#/paths/~1plants/get/parameters/0/schema/type',
    ...example('400 with the error 40006', request('/plants?limit=1&limit=2')),
    classes: { wfc: [206], cwe: 235 },
    plant: changeSteps(({ readInput }, count) => ({
      readInput: recovering(readInput, async (refused, exchange) => {
        const { match } = exchange;
        if (match?.operation.id !== 'listPlants') throw refused;
        const last = new Map(match.query.split('&').map((pair) => [pair.split('=')[0], pair]));
        exchange.match = { ...match, query: [...last.values()].join('&') };
        const again = recovering(readInput, (problem) => {
          if (problem.message !== refused.message) count();
          throw problem;
        });
        const input = await again(exchange);
        count();
        return input;
      }),
    })),
  },
];
