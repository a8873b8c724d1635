/** Fastify and better-sqlite3: `PLANTSTORE_TOKEN=… PORT=… DATABASE=… node fastify.ts`. */
import createFastify from 'fastify';
import { openPlants } from './better-sqlite.ts';
import { always, NO_STORE, ofNewPlant, ofPage, ofPlant } from './fields.ts';
import { parseJson, toId } from './json.ts';
import type { NewPlant } from './plants.ts';
import { announce, DATABASE, HOST, PORT, TOKEN } from './settings.ts';

const text = { type: 'string', maxLength: 1024 } as const;
/** Fastify's writer also writes BigInts. Its validator does not know them: the handlers check ids. */
const id = { type: 'integer' } as const;
const created = { type: 'object', required: ['name'], properties: { name: text, tag: text } } as const;
const newPlant = { type: 'object', required: ['id', 'name'], properties: { id: {}, name: text, tag: text } } as const;
const plant = { type: 'object', required: ['id', 'name'], properties: { id, name: text, tag: text } } as const;
const digits = { type: 'string', pattern: '^-?[0-9]{1,19}$' } as const;
const parameters = { type: 'object', required: ['id'], properties: { id: digits } } as const;
const limit = { type: 'integer', minimum: 1, maximum: 1000, default: 100 } as const;
const query = { type: 'object', properties: { limit, tag: text, after: digits } } as const;

const plants = openPlants(DATABASE, TOKEN);
const app = createFastify();

app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, body: string) =>
  parseJson(body),
);

app.addHook('onRequest', async (request, reply) => {
  reply.headers({ ...always(), ...NO_STORE });
  const scope = request.method === 'GET' ? 'plants:read' : 'plants:write';
  if (plants.mayUse(request.headers.authorization, scope)) return;
  return reply
    .code(401)
    .header('WWW-Authenticate', 'Bearer realm="plants"')
    .send({ error: 401, message: 'no valid token' });
});

app.post<{ Body: Omit<NewPlant, 'id'> & { readonly id: unknown } }>(
  '/plants',
  { schema: { body: newPlant, response: { 200: created } } },
  (request, reply) => {
    const exact = toId(request.body.id);
    if (exact === undefined) return reply.code(400).send({ error: 400, message: 'id must be an int64' });
    if (plants.create({ ...request.body, id: exact })) return reply.headers(ofNewPlant(exact)).send(request.body);
    return reply.code(400).send({ error: 400, message: `id ${exact} is already taken` });
  },
);

app.get<{ Querystring: { limit: number; tag?: string; after?: string } }>(
  '/plants',
  { schema: { querystring: query, response: { 200: { type: 'array', items: plant } } } },
  ({ query: { limit, tag, after } }, reply) => {
    const page = plants.list(limit, tag, after === undefined ? undefined : BigInt(after));
    reply.headers(ofPage(page, limit, tag)).send(page.plants);
  },
);

app.get<{ Params: { id: string } }>(
  '/plants/:id',
  { schema: { params: parameters, response: { 200: plant } } },
  (request, reply) => {
    const exact = toId(BigInt(request.params.id));
    const found = exact === undefined ? undefined : plants.get(exact);
    if (found === undefined) return reply.code(404).send({ error: 404, message: 'no such plant' });
    const fields = ofPlant(found);
    reply.headers(fields);
    return request.headers['if-none-match'] === fields.ETag ? reply.code(304).send() : reply.send(found);
  },
);

await app.listen({ host: HOST, port: PORT });
announce();
