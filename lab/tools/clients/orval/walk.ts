/** The walk that every client does. The address comes from the description. */
import assert from 'node:assert/strict';
import { createPlant, deletePlant, getPlant, listPlants, replacePlant } from './client.js';

const GREATEST = 9223372036854775807n;
const CURSOR = /[?&]after=([^&>]+)[^>]*>; *rel="next"/;

const Authorization = `Bearer ${process.env['TOKEN']}`;
const authorized = { headers: { Authorization } };

function assertRefused({ status, data }: { status: number; data: unknown }, number: number) {
  assert.equal(status, Math.floor(number / 100));
  assert.ok(typeof data === 'object' && data !== null && 'error' in data);
  assert.equal(data.error, number);
}

for (const each of ['the create', 'its replay']) {
  const { status, data, headers } = await createPlant({ id: GREATEST, name: 'Aloe vera' }, authorized);
  assert.equal(status, 200, each);
  assert.deepEqual(data, { name: 'Aloe vera' }, each);
  assert.ok(headers.get('Location')?.endsWith(`/plants/${GREATEST}`), each);
}
assertRefused(await createPlant({ id: GREATEST, name: 'Ficus' }, authorized), 40009);

const read = await getPlant(GREATEST, authorized);
assert.deepEqual(read.data, { id: GREATEST, name: 'Aloe vera' });
const matching = { headers: { Authorization, 'If-Match': read.headers.get('ETag') ?? '' } };

const expected = Array.from({ length: 250 }, (_, index) => BigInt(index + 1));
for (const id of expected) await createPlant({ id, name: 'Fern', tag: 'walk' }, authorized);
const ids: bigint[] = [];
let after: string | undefined;
do {
  const query = { limit: 100, tag: 'walk', ...(after === undefined ? {} : { after }) };
  const page = await listPlants(query, authorized);
  assert.ok(page.status === 200);
  ids.push(...page.data.map(({ id }) => id));
  after = CURSOR.exec(page.headers.get('Link') ?? '')?.[1];
} while (after !== undefined);
assert.deepEqual(ids, expected);

const renamed = { name: 'Aloe barbadensis' };
const replaced = await replacePlant(GREATEST, renamed, matching);
assert.deepEqual(replaced.data, { id: GREATEST, name: 'Aloe barbadensis' });
assertRefused(await replacePlant(GREATEST, renamed, matching), 41200);
const current = { headers: { Authorization, 'If-None-Match': replaced.headers.get('ETag') ?? '' } };
assert.equal((await getPlant(GREATEST, current)).status, 304);

assert.equal((await deletePlant(GREATEST, authorized)).status, 204);
assertRefused(await getPlant(GREATEST, authorized), 40401);
assertRefused(await getPlant(GREATEST), 40100);
assertRefused(await createPlant({ id: 0n, name: 'x'.repeat(1025) }, authorized), 40005);
