/** Defects of content: a response has other members, texts, media types or addresses than the description promises. */
import type { TierDefect } from './defect.ts';
import { ALOE, CALLS, callOf, create, example, request } from './examples.ts';
import { changeField, changeMembers, changeResponse } from './planting.ts';
import { forEach, pairs } from './variants.ts';

export const contentDefects: readonly TierDefect[] = [
  {
    name: 'unknown-member-returned',
    does: 'POST /plants returns members of the body that the schema does not name.',
    operation: 'createPlant',
    breaks: 'Members of the body that the schema does not name are ignored.',
    ...example('200 with only the name', create('{"id": 12, "name": "Aloe vera", "owner": "Iris"}')),
    classes: { wfc: [303], owasp: 'API3', cwe: 915 },
    plant: changeResponse('createPlant', 200, (response, { body }) => {
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
      ...example(
        '200, then 200 with the name as it was sent',
        create(`{"id": 12, "name": "Aloe ${character} Iris"}`),
        request('/plants/12'),
      ),
      classes: { cwe: 116 },
      plant: changeMembers('getPlant', 200, (plant) => {
        return { ...plant, name: String(plant['name']).replaceAll(character, escaped) };
      }),
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
      ...example('200 with Location: /plants/12', create(ALOE)),
      classes: { wfc: [120] },
      plant: changeField('createPlant', 200, 'Location', change),
    }),
  ),
  forEach(
    'content-type-wrong',
    pairs(['getPlant', 'listPlants', 'createPlant', 'replacePlant'], ['text/html', 'text/plain', 'application/xml']),
    ([operation, type]) => ({
      does: `${CALLS[operation].title} returns JSON as ${type}.`,
      ...callOf(operation, 'in application/json'),
      breaks: `${CALLS[operation].at}/responses/200/content`,
      classes: { wfc: [200], cwe: 436 },
      plant: changeField(operation, 200, 'Content-Type', () => type),
    }),
  ),
];
