/** The walk that every client does. */
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type Failure = components['schemas']['Error'];

const GREATEST = 9223372036854775807n;
const CURSOR = /[?&]after=([^&>]+)[^>]*>; *rel="next"/;

const { URL: baseUrl = '', TOKEN } = process.env;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${TOKEN}` } });
const stranger = createClient<paths>({ baseUrl });
const path = { id: GREATEST };

function assertRefused({ response, error }: { response: Response; error?: Failure | undefined }, number: number) {
  assert.equal(response.status, Math.floor(number / 100));
  assert.equal(error?.error, number);
}

for (const each of ['the create', 'its replay']) {
  const { response, data } = await client.POST('/plants', { body: { id: GREATEST, name: 'Aloe vera' } });
  assert.deepEqual(data, { name: 'Aloe vera' }, each);
  assert.ok(response.headers.get('Location')?.endsWith(`/plants/${GREATEST}`), each);
}
assertRefused(await client.POST('/plants', { body: { id: GREATEST, name: 'Ficus' } }), 40009);

const read = await client.GET('/plants/{id}', { params: { path } });
assert.deepEqual(read.data, { id: GREATEST, name: 'Aloe vera' });
const header = { 'If-Match': read.response.headers.get('ETag') ?? '' };

const expected = Array.from({ length: 250 }, (_, index) => BigInt(index + 1));
for (const id of expected) await client.POST('/plants', { body: { id, name: 'Fern', tag: 'walk' } });
const ids: bigint[] = [];
let after: string | undefined;
do {
  const query = { limit: 100, tag: 'walk', ...(after === undefined ? {} : { after }) };
  const page = await client.GET('/plants', { params: { query } });
  assert.ok(page.data);
  ids.push(...page.data.map(({ id }) => id));
  after = CURSOR.exec(page.response.headers.get('Link') ?? '')?.[1];
} while (after !== undefined);
assert.deepEqual(ids, expected);

const renamed = { params: { path, header }, body: { name: 'Aloe barbadensis' } };
const replaced = await client.PUT('/plants/{id}', renamed);
assert.deepEqual(replaced.data, { id: GREATEST, name: 'Aloe barbadensis' });
assertRefused(await client.PUT('/plants/{id}', renamed), 41200);
const current = { 'If-None-Match': replaced.response.headers.get('ETag') ?? '' };
const unchanged = await client.GET('/plants/{id}', { params: { path, header: current } });
assert.equal(unchanged.response.status, 304);

const deleted = await client.DELETE('/plants/{id}', { params: { path } });
assert.equal(deleted.response.status, 204);
assertRefused(await client.GET('/plants/{id}', { params: { path } }), 40401);
assertRefused(await stranger.GET('/plants/{id}', { params: { path } }), 40100);
assertRefused(await client.POST('/plants', { body: { id: 0n, name: 'x'.repeat(1025) } }), 40005);
