/** The walk that every client does. The address comes from the description. */
import assert from 'node:assert/strict';
import { Configuration, type ModelError, PlantsApi, ResponseError } from './client/index.js';

const GREATEST = 9223372036854775807n;
const CURSOR = /[?&]after=([^&>]+)[^>]*>; *rel="next"/;

const plants = new PlantsApi(new Configuration({ accessToken: process.env['TOKEN'] ?? '' }));
const stranger = new PlantsApi();
const id = GREATEST;

/** The response that the client throws if the request fails. */
async function thrown(request: Promise<unknown>): Promise<Response> {
  const error = await request.then(
    () => assert.fail('the request succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ResponseError, String(error));
  return error.response;
}

async function assertRefused(request: Promise<unknown>, number: number) {
  const response = await thrown(request);
  assert.equal(response.status, Math.floor(number / 100));
  const { error }: ModelError = await response.json();
  assert.equal(error, number);
}

for (const each of ['the create', 'its replay']) {
  const created = await plants.createPlantRaw({ newPlant: { id, name: 'Aloe vera' } });
  assert.deepEqual(await created.value(), { name: 'Aloe vera', tag: undefined }, each);
  assert.ok(created.raw.headers.get('Location')?.endsWith(`/plants/${GREATEST}`), each);
}
await assertRefused(plants.createPlant({ newPlant: { id, name: 'Ficus' } }), 40009);

const read = await plants.getPlantRaw({ id });
assert.deepEqual(await read.value(), { id, name: 'Aloe vera', tag: undefined });
const ifMatch = read.raw.headers.get('ETag') ?? '';

const expected = Array.from({ length: 250 }, (_, index) => BigInt(index + 1));
for (const each of expected) await plants.createPlant({ newPlant: { id: each, name: 'Fern', tag: 'walk' } });
const ids: bigint[] = [];
let after: string | undefined;
do {
  const page = await plants.listPlantsRaw({ limit: 100, tag: 'walk', ...(after === undefined ? {} : { after }) });
  ids.push(...(await page.value()).map((plant) => plant.id));
  after = CURSOR.exec(page.raw.headers.get('Link') ?? '')?.[1];
} while (after !== undefined);
assert.deepEqual(ids, expected);

const renamed = { id, ifMatch, plant: { name: 'Aloe barbadensis' } };
const replaced = await plants.replacePlantRaw(renamed);
assert.deepEqual(await replaced.value(), { id, name: 'Aloe barbadensis', tag: undefined });
await assertRefused(plants.replacePlant(renamed), 41200);
const ifNoneMatch = replaced.raw.headers.get('ETag') ?? '';
assert.equal((await thrown(plants.getPlant({ id, ifNoneMatch }))).status, 304);

assert.equal((await plants.deletePlantRaw({ id })).raw.status, 204);
await assertRefused(plants.getPlant({ id }), 40401);
await assertRefused(stranger.getPlant({ id }), 40100);
await assertRefused(plants.createPlant({ newPlant: { id: 0n, name: 'x'.repeat(1025) } }), 40005);
