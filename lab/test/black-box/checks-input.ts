/** Rules of input: every valid value is stored exactly, and every other value is refused with its number. */
import assert from 'node:assert/strict';
import { type Check, type Checks, exact, type World } from './world.ts';

const LONGEST = 1_024;
const HIGHEST = 2n ** 63n - 1n;
const LOWEST = -(2n ** 63n);

/** Texts on the valid side of each rule, and texts that careless programs change. */
const TEXTS: readonly string[] = [
  '',
  'x'.repeat(LONGEST),
  '🌵'.repeat(LONGEST),
  'é'.repeat(LONGEST),
  'x'.repeat(255),
  'Cactus 🌵',
  '  Aloe \t\n vera  ',
  'A\u0308 \u00c4 \ufb01 \u212b \u1e9b\u0323',
  `& < > " ' % + / \\ &amp; %41 ; -- \${x} {{x}} $1`,
  '\u0001\u001f\u007f\u0080\u200b\u2028\ufeff\uffff',
  'شجرة 植物 ILiı ß',
  'null',
  '12',
];
/** JSON of values that are no such text. */
const NO_TEXTS = [
  `"${'x'.repeat(LONGEST + 1)}"`,
  `"${'🌵'.repeat(LONGEST + 1)}"`,
  ...['"\\u0000"', '"Aloe\\u0000"', '"\\ud800"', '"Aloe \\udc00 vera"'],
  ...['null', 'true', 'false', '12', '1.5', '[]', '["Aloe"]', '{}', '{"en": "Aloe vera"}'],
];
const MEMBERS = ['name', 'tag'] as const;

/** Ids on the valid side of each rule, as JSON. */
const IDS = [
  ...['0', '-1', '1', '255', '256', '2147483647', '2147483648', '-2147483649', '4294967296'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'],
  ...[`${HIGHEST}`, `${HIGHEST - 1n}`, `${LOWEST}`, `${LOWEST + 1n}`, '31.0', '3.2e1', '3300e-2'],
];
const NO_IDS = [
  ...[`${HIGHEST + 1n}`, `${LOWEST - 1n}`, '1e400', '12.5', '"12"', '""', '"x"', 'null', 'true', '[]', '[12]', '{}'],
];
const NO_JSON: readonly (string | Buffer)[] = [
  ...['{', '{"id": ID, "name": "Aloe"', '{"id": ID, "name": "Aloe",}', '{"id": ID, "name": "Aloe"} 12', 'Aloe'],
  ...['{"id": ID, "name": "Aloe" /* new */}', '{"id": ID, "name": "Aloe"} // new', "{'id': ID, 'name': 'Aloe'}"],
  ...['{id: ID, name: "Aloe"}', '{"id": ID, "name": "Al\toe"}', '{"id": ID, "name": "Al\noe"}', '{"id": 0ID}'],
  ...[
    '\ufeff{"id": ID, "name": "Aloe"}',
    '{"id": ID, "name": NaN}',
    '{"id": +ID, "name": "Aloe"}',
    '{"id": ID "name": 1}',
  ],
  Buffer.from('{"id": 1, "name": "Al\xe9"}', 'latin1'),
];
const OTHER_TYPES = [
  ...[
    'text/plain',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ],
  ...[
    'application/json; charset=iso-8859-1',
    'application/json-patch+json',
    'application/json-seq',
    'application/jsonx',
  ],
  ...['application/vnd.api+json', 'application/octet-stream', '*/*'],
];
/** Texts that are no id in a path. */
const NO_PATH_IDS = [
  ...['ID.0', '0ID', '%2BID', '+ID', 'IDe0', '0xID', 'ID%20', '%20ID', 'IDabc', 'abc', '-0', 'ID,0', 'ID%00', '%00'],
  ...[`${HIGHEST + 1n}`, `${LOWEST - 1n}`, '1e1', '--1', '1_000', 'null'],
];

/** Sends a body to POST /plants for a new id, and to PUT for a plant that exists. */
async function refusedBody(world: World, error: number, bodyOf: (id: bigint) => string | Buffer): Promise<void> {
  const plant = await world.create();
  const { id } = world.newPlant();
  await world.refused(error, 'POST', '/plants', { body: bodyOf(id) });
  await world.refused(40401, 'GET', `/plants/${id}`);
  await world.refused(error, 'PUT', `/plants/${plant.id}`, { body: bodyOf(plant.id) });
  await world.expect(plant);
}

const refusedQuery =
  (...queries: readonly string[]): Check =>
  async (world) => {
    for (const query of queries) await world.refused(40006, 'GET', `/plants?${query}`);
  };

export const INPUT_CHECKS: Checks = {
  'every valid text is stored as it was sent': async (world) => {
    for (const text of TEXTS) {
      for (const member of MEMBERS) {
        const plant = await world.create({ [member]: text });
        await world.expect(plant);
        const other = await world.create();
        await world.replace({ ...plant, id: other.id });
        await world.expect({ ...plant, id: other.id });
      }
    }
  },
  'a name or a tag that is no text of 1,024 characters is refused': async (world) => {
    for (const json of NO_TEXTS) {
      for (const member of MEMBERS) {
        const name = member === 'tag' ? '"name": "Aloe", ' : '';
        await refusedBody(world, 40005, (id) => `{"id": ${id}, ${name}"${member}": ${json}}`);
      }
    }
  },
  'every id in the int64 range is stored, exactly': async (world) => {
    for (const json of IDS) {
      const id = /[.e]/.test(json) ? BigInt(Number(json)) : BigInt(json);
      await world.send('DELETE', `/plants/${id}`);
      const body = `{"id": ${json}, "name": "Aloe", "tag": "${world.tag} ids"}`;
      const response = await world.send('POST', '/plants', { body });
      assert.equal(response.status, 200, `${json} ${response.text}`);
      assert.match(String(response.headers['location']), new RegExp(`/plants/${id}$`));
      const plant = { id, name: 'Aloe', tag: `${world.tag} ids` };
      await world.expect(plant);
      await world.replace(plant);
    }
    const ids = (await world.list({ tag: `${world.tag} ids` })).map(({ id }) => String(id));
    assert.deepEqual(ids.length, IDS.length);
    for (const id of ids) assert.equal((await world.send('DELETE', `/plants/${id}`)).status, 204);
  },
  'an id that is no int64 is refused': async (world) => {
    for (const json of NO_IDS)
      await world.refused(40005, 'POST', '/plants', { body: `{"id": ${json}, "name": "Aloe"}` });
  },
  'required members are required, and the body is an object': async (world) => {
    const { id } = await world.create();
    for (const body of ['{}', `{"id": ${id + 50_000n}}`, '{"name": "Aloe"}', '[]', 'null', '12', '"Aloe"', 'true']) {
      await world.refused(40005, 'POST', '/plants', { body });
      if (body !== '{"name": "Aloe"}') await world.refused(40005, 'PUT', `/plants/${id}`, { body });
    }
  },
  'members that the schema does not name are ignored': async (world) => {
    const plant = world.newPlant();
    const more = { version: 7, owner: 'Iris', store: 'other', createdAt: null, tags: ['a'], Name: 'b' };
    const { id, ...content } = plant;
    const created = await world.send('POST', '/plants', { body: { ...plant, ...more } });
    assert.deepEqual([created.status, created.json()], [200, content]);
    await world.expect(plant);
    const replaced = await world.send('PUT', `/plants/${id}`, { body: { ...content, ...more, id: 5 } });
    assert.deepEqual([replaced.status, exact(replaced)], [200, plant]);
    await world.expect(plant);
  },
  'a body that is not JSON in UTF-8 is refused': async (world) => {
    for (const body of NO_JSON) {
      await refusedBody(world, 40004, (id) => (typeof body === 'string' ? body.replace('ID', String(id)) : body));
    }
  },
  'a body that is absent is refused': async (world) => {
    const { id } = await world.create();
    for (const body of [undefined, '']) {
      await world.refused(40001, 'POST', '/plants', { body });
      await world.refused(40001, 'PUT', `/plants/${id}`, { body });
    }
  },
  'another media type or a Content-Encoding is refused': async (world) => {
    const fields = [...OTHER_TYPES.map((type) => ({ 'Content-Type': type })), { 'Content-Encoding': 'gzip' }];
    for (const headers of [...fields, { 'Content-Type': undefined }]) {
      const plant = await world.create();
      const other = world.newPlant();
      await world.refused(40002, 'POST', '/plants', { body: other, headers });
      await world.refused(40401, 'GET', `/plants/${other.id}`);
      await world.refused(40002, 'PUT', `/plants/${plant.id}`, { body: other, headers });
      await world.expect(plant);
    }
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    assert.equal((await world.send('POST', '/plants', { body: world.newPlant(), headers })).status, 200);
  },
  'a body over the size limit is refused': async (world) => {
    await refusedBody(world, 40003, (id) => `${' '.repeat(100_000)}{"id": ${id}, "name": "Aloe"}`);
  },
  'a limit is an integer from 1 to 1000': refusedQuery(
    ...['limit=0', 'limit=1001', 'limit=-1', 'limit=01', 'limit=1.0', 'limit=', 'limit=x', 'limit=1e2', 'limit=%201'],
    ...['limit=1002', 'limit=2000', 'limit=10000', 'limit=2147483648', 'limit=+1', 'limit=null'],
  ),
  'a parameter is given once': refusedQuery('limit=1&limit=2', 'limit=1&limit=1', 'tag=a&tag=b', 'tag=&tag='),
  'a tag in a query is a valid text': refusedQuery(
    `tag=${'x'.repeat(LONGEST + 1)}`,
    'tag=%00',
    'tag=%ff',
    'tag=%ed%a0%80',
  ),
  'a cursor is one that the service made': refusedQuery(
    ...[
      'after=',
      'after=x',
      `after=${'A'.repeat(31)}`,
      `after=${'A'.repeat(32)}`,
      `after=${'A'.repeat(33)}`,
      'after=0',
    ],
  ),
  'parameters that no operation names are ignored': async (world) => {
    const plant = await world.create();
    for (const query of ['x=1', 'Limit=0', 'id=5', '_method=DELETE']) {
      assert.equal((await world.send('GET', `/plants?${query}`)).status, 200);
      assert.deepEqual(exact(await world.send('GET', `/plants/${plant.id}?${query}`)), plant);
    }
  },
  'an id in a path is in plain decimal notation': async (world) => {
    const plant = await world.create();
    for (const written of NO_PATH_IDS) {
      const target = `/plants/${written.replace('ID', String(plant.id))}`;
      await world.refused(40006, 'GET', target);
      await world.refused(40006, 'PUT', target, { body: { name: 'Agave' } });
      await world.refused(40006, 'DELETE', target);
    }
    await world.expect(plant);
  },
  'a condition is a list of entity tags': async (world) => {
    const plant = await world.create();
    for (const field of ['x', '"', '"a', 'a"', '*, "a"', 'w/"a"', '"a" "b"']) {
      await world.refused(40006, 'GET', `/plants/${plant.id}`, { headers: { 'If-None-Match': field } });
      const headers = { 'If-Match': field };
      await world.refused(40006, 'PUT', `/plants/${plant.id}`, { headers, body: { name: 'Agave' } });
      await world.refused(40006, 'DELETE', `/plants/${plant.id}`, { headers });
    }
    // An empty list matches nothing.
    await world.refused(41200, 'PUT', `/plants/${plant.id}`, { headers: { 'If-Match': '' }, body: { name: 'Agave' } });
    await world.expect(plant);
  },
};
