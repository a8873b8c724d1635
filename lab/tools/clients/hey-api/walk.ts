/** The walk that every client does. The address comes from the description. */
import assert from 'node:assert/strict';
import { createClient } from './client/client/index.js';
import { client } from './client/client.gen.js';
import { createPlant, deletePlant, type Error as Failure, getPlant, listPlants, replacePlant } from './client/index.js';

const GREATEST = 9223372036854775807n;
const CURSOR = /[?&]after=([^&>]+)[^>]*>; *rel="next"/;

const stranger = createClient(client.getConfig());
client.setConfig({ auth: process.env['TOKEN'] ?? '' });
const path = { id: GREATEST };

function assertRefused({ response, error }: { response?: Response; error?: Failure | undefined }, number: number) {
  assert.equal(response?.status, Math.floor(number / 100));
  assert.equal(error?.error, number);
}

for (const each of ['the create', 'its replay']) {
  const { response, data } = await createPlant({ body: { id: GREATEST, name: 'Aloe vera' } });
  assert.deepEqual(data, { name: 'Aloe vera' }, each);
  assert.ok(response?.headers.get('Location')?.endsWith(`/plants/${GREATEST}`), each);
}
assertRefused(await createPlant({ body: { id: GREATEST, name: 'Ficus' } }), 40009);

const read = await getPlant({ path });
assert.deepEqual(read.data, { id: GREATEST, name: 'Aloe vera' });
const headers = { 'If-Match': read.response?.headers.get('ETag') ?? '' };

const expected = Array.from({ length: 250 }, (_, index) => BigInt(index + 1));
for (const id of expected) await createPlant({ body: { id, name: 'Fern', tag: 'walk' } });
const ids: bigint[] = [];
let after: string | undefined;
do {
  const page = await listPlants({ query: { limit: 100, tag: 'walk', ...(after === undefined ? {} : { after }) } });
  assert.ok(page.data);
  ids.push(...page.data.map(({ id }) => id));
  after = CURSOR.exec(page.response?.headers.get('Link') ?? '')?.[1];
} while (after !== undefined);
assert.deepEqual(ids, expected);

const renamed = { path, headers, body: { name: 'Aloe barbadensis' } };
const replaced = await replacePlant(renamed);
assert.deepEqual(replaced.data, { id: GREATEST, name: 'Aloe barbadensis' });
assertRefused(await replacePlant(renamed), 41200);
const current = { 'If-None-Match': replaced.response?.headers.get('ETag') ?? '' };
assert.equal((await getPlant({ path, headers: current })).response?.status, 304);

assert.equal((await deletePlant({ path })).response?.status, 204);
assertRefused(await getPlant({ path }), 40401);
assertRefused(await getPlant({ client: stranger, path }), 40100);
assertRefused(await createPlant({ body: { id: 0n, name: 'x'.repeat(1025) } }), 40005);
