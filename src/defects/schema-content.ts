/** Defects of content: a response has other members, texts, media types or addresses than the description promises. */
import type { StoredPlant } from '../plants/plant.ts';
import { CALLS } from './calls.ts';
import { ALOE, changeSuccess, create, curl, replaceBodyWriter, request, setField, type TierDefect } from './defect.ts';
import { forEach, pairs } from './variants.ts';

export const contentDefects: readonly TierDefect[] = [
  {
    name: 'unknown-member-returned',
    does: 'POST /plants returns members of the body that the schema does not name.',
    operation: 'createPlant',
    breaks: 'Members of the body that the schema does not name are ignored.',
    show: curl(create('{"id": 12, "name": "Aloe vera", "owner": "Iris"}')),
    clean: '200 with only the name',
    wfc: [303],
    owasp: 'API3',
    cwe: 915,
    plant: changeSuccess('createPlant', (response, { body }) => {
      const { id: _id, name: _name, tag: _tag, ...more } = JSON.parse(String(body)) as Record<string, unknown>;
      const isKnown = Object.keys(more).length === 0;
      const members = `${String(response.body).slice(0, -1)},${JSON.stringify(more).slice(1)}`;
      return isKnown ? undefined : { ...response, body: members };
    }),
  },
  forEach(
    'name-escaped',
    [
      ['&', '&amp;'],
      ['<', '&lt;'],
      ['>', '&gt;'],
      ['+', '%2B'],
      ['%', '%25'],
      ['/', '\\/'],
    ],
    ([character = '', escaped = '']) => ({
      does: `GET /plants/{id} returns ${character} in a name as ${escaped}.`,
      operation: 'getPlant',
      breaks: 'Returns the plant and its entity tag.',
      show: curl(create(`{"id": 12, "name": "Aloe ${character} Iris"}`), request('/plants/12')),
      clean: '200, then 200 with the name as it was sent',
      cwe: 116,
      plant: replaceBodyWriter<StoredPlant>('getPlant', (plant, clean) =>
        clean.write({ ...plant, name: plant.name.replaceAll(character, escaped) }),
      ),
    }),
  ),
  forEach<readonly [what: string, change: (path: string) => string]>(
    'location-wrong',
    [
      ['the next id', (path) => path.replace(/-?\d+$/, (id) => String(BigInt(id) + 1n))],
      ['no id', (path) => path.replace(/\/[^/]+$/, '')],
      ['/plant instead of /plants', (path) => path.replace('/plants/', '/plant/')],
      ['a slash at the end', (path) => `${path}/`],
      ['an id with a leading zero', (path) => path.replace(/\d+$/, '0$&')],
      ['a version in its path', (path) => path.replace('/plants/', '/v1/plants/')],
    ],
    ([what, change]) => ({
      does: `The Location of POST /plants has ${what}.`,
      operation: 'createPlant',
      breaks: "Location is the plant's address.",
      show: curl(create(ALOE)),
      clean: '200 with Location: /plants/12',
      wfc: [120],
      plant: setField('createPlant', 'Location', change),
    }),
  ),
  forEach(
    'content-type-wrong',
    pairs(['getPlant', 'listPlants', 'createPlant', 'replacePlant'], ['text/html', 'text/plain', 'application/xml']),
    ([operation, type]) => ({
      does: `${CALLS[operation].title} returns JSON as ${type}.`,
      operation,
      breaks: `${CALLS[operation].at}/responses/200/content`,
      show: CALLS[operation].show,
      clean: `${CALLS[operation].clean} in application/json`,
      wfc: [200],
      cwe: 436,
      plant: setField(operation, 'Content-Type', () => type),
    }),
  ),
];
