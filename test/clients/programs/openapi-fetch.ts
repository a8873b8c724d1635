/** A round trip as a user of openapi-fetch would write it; compiled and run by ../generated-clients.test.ts. */
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type StoredPlant = components['schemas']['StoredPlant'];

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
const path = { id: -7 };

const created = await client.POST('/plants', { body: { id: -7, name: 'Monstera', tag: 'climber' } });
const taken = await client.POST('/plants', { body: { id: -7, name: 'Aloe' } });
await client.POST('/plants', { body: { id: 12, name: 'Aloe', tag: 'succulent' } });

const read = await client.GET('/plants/{id}', { params: { path } });
const etag = read.response.headers.get('ETag') ?? '';
const unchanged = await client.GET('/plants/{id}', { params: { path, header: { 'If-None-Match': etag } } });

const replaced = await client.PUT('/plants/{id}', {
  params: { path, header: { 'If-Match': etag } },
  body: { name: 'Monstera deliciosa' },
});
const stale = await client.PUT('/plants/{id}', {
  params: { path, header: { 'If-Match': etag } },
  body: { name: 'too late' },
});

const listed: StoredPlant[] = [];
let after: string | undefined;
do {
  const page = await client.GET('/plants', { params: { query: { limit: 1, ...(after && { after }) } } });
  for (const plant of page.data ?? []) listed.push(plant);
  const next = /<([^>]*)>; rel="next"/.exec(page.response.headers.get('Link') ?? '')?.[1];
  after = next && (new URL(next, baseUrl).searchParams.get('after') ?? undefined);
} while (after !== undefined);
const tagged = await client.GET('/plants', { params: { query: { tag: 'succulent' } } });

const removed = await client.DELETE('/plants/{id}', { params: { path } });
const gone = await client.GET('/plants/{id}', { params: { path } });

console.log(
  JSON.stringify({
    created: created.data,
    location: created.response.headers.get('Location'),
    taken: taken.error?.error,
    read: read.data,
    unchanged: unchanged.response.status,
    replaced: replaced.data,
    stale: stale.error?.error,
    listed,
    tagged: tagged.data,
    removed: removed.response.status,
    gone: gone.error?.error,
  }),
);
