/** Prints a line for each event. The package connects again and sends Last-Event-ID itself. */
import { EventSource } from 'eventsource';

const { URL: address, TOKEN } = process.env;
const send = (url, init) => fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${TOKEN}` } });
const stream = new EventSource(address, { fetch: send });
// JSON.parse rounds an id beyond 2^53.
const keepId = (key, value, { source }) => (key === 'id' && typeof value === 'number' ? BigInt(source) : value);

for (const type of ['plant.created', 'plant.replaced', 'plant.deleted']) {
  stream.addEventListener(type, ({ data, lastEventId }) => {
    console.log(`${lastEventId} ${type} ${JSON.parse(data, keepId).data.id}`);
  });
}
// While the package waits to connect again, nothing of it keeps the process alive.
setInterval(() => {}, 60_000);
