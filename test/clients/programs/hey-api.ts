/** A round trip as a user of @hey-api/openapi-ts would write it; compiled and run by ../generated-clients.test.ts. */
import { createClient, createConfig } from './sdk/client/index.js';
import { createPlant, deletePlant, getPlant, listPlants, replacePlant, type StoredPlant } from './sdk/index.js';

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient(createConfig({ baseUrl, auth: token }));
const path = { id: -7 };

const created = await createPlant({ client, body: { id: -7, name: 'Monstera', tag: 'climber' } });
const taken = await createPlant({ client, body: { id: -7, name: 'Aloe' } });
await createPlant({ client, body: { id: 12, name: 'Aloe', tag: 'succulent' } });

const read = await getPlant({ client, path });
const etag = read.response?.headers.get('ETag') ?? '';
const unchanged = await getPlant({ client, path, headers: { 'If-None-Match': etag } });

const replaced = await replacePlant({
  client,
  path,
  headers: { 'If-Match': etag },
  body: { name: 'Monstera deliciosa' },
});
const stale = await replacePlant({ client, path, headers: { 'If-Match': etag }, body: { name: 'too late' } });

const listed: StoredPlant[] = [];
let after: string | undefined;
do {
  const page = await listPlants({ client, query: { limit: 1, ...(after && { after }) } });
  for (const plant of page.data ?? []) listed.push(plant);
  const next = /<([^>]*)>; rel="next"/.exec(page.response?.headers.get('Link') ?? '')?.[1];
  after = next && (new URL(next, baseUrl).searchParams.get('after') ?? undefined);
} while (after !== undefined);
const tagged = await listPlants({ client, query: { tag: 'succulent' } });

const removed = await deletePlant({ client, path });
const gone = await getPlant({ client, path });

console.log(
  JSON.stringify({
    created: created.data,
    location: created.response?.headers.get('Location'),
    taken: taken.error?.error,
    read: read.data,
    unchanged: unchanged.response?.status,
    replaced: replaced.data,
    stale: stale.error?.error,
    listed,
    tagged: tagged.data,
    removed: removed.response?.status,
    gone: gone.error?.error,
  }),
);
