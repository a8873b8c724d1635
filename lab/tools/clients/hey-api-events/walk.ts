/** The walk for events: change a plant, and read its events on two pages. */
import assert from 'node:assert/strict';
import { createClient } from './client/client/index.js';
import { client } from './client/client.gen.js';
import { type Event, listEvents } from './client/index.js';

const GREATEST = 9223372036854775807n;
const CURSOR = /[?&]after=([^&>]+)[^>]*>; *rel="next"/;
const { baseUrl } = client.getConfig();
const { TOKEN = '' } = process.env;
const stranger = createClient(client.getConfig());
client.setConfig({ auth: TOKEN });

async function change(method: string, path: string, body?: unknown) {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${baseUrl}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
  assert.ok(response.ok);
}

function describe(event: Event) {
  switch (event.type) {
    case 'plant.created':
      return `created ${event.data.id} ${event.data.name}`;
    case 'plant.replaced':
      return `replaced ${event.data.id} ${event.data.previousName} ${event.data.previousTag} ${event.data.tag}`;
    case 'plant.deleted':
      return `deleted ${event.data.id} ${event.data.tag}`;
    case 'store.reset':
      return event.data.reason;
  }
}

await change('POST', '/plants', { id: GREATEST, name: 'Aloe vera' });
await change('PUT', `/plants/${GREATEST}`, { name: 'Aloe ferox', tag: 'succulent' });
await change('DELETE', `/plants/${GREATEST}`);

const first = await listEvents({ query: { limit: 2 } });
const [, after = ''] = CURSOR.exec(first.response?.headers.get('Link') ?? '') ?? [];
const second = await listEvents({ query: { after } });
assert.deepEqual([...(first.data ?? []), ...(second.data ?? [])].map(describe), [
  `created ${GREATEST} Aloe vera`,
  `replaced ${GREATEST} Aloe vera null succulent`,
  `deleted ${GREATEST} succulent`,
]);
assert.equal(first.data?.length, 2);

const foreign = await listEvents({ query: { after: 'A'.repeat(40) } });
assert.deepEqual([foreign.response?.status, foreign.error?.error], [400, 40006]);
assert.equal((await listEvents({ client: stranger })).error?.error, 40100);
