/** Fastify and better-sqlite3: `PLANTSTORE_TOKEN=… PORT=… DATABASE=… node fastify.ts`. */
import createFastify from 'fastify';
import { openPlants } from './better-sqlite.ts';
import type { Plant } from './plants.ts';
import { announce, DATABASE, HOST, PORT, TOKEN } from './settings.ts';

const text = { type: 'string', maxLength: 1024 } as const;
const id = { type: 'integer' } as const;
const created = { type: 'object', required: ['name'], properties: { name: text, tag: text } } as const;
const plant = { type: 'object', required: ['id', 'name'], properties: { id, name: text, tag: text } } as const;
const parameters = { type: 'object', required: ['id'], properties: { id } } as const;
const limit = { type: 'integer', minimum: 1, maximum: 1000, default: 100 } as const;
const query = { type: 'object', properties: { limit, tag: text } } as const;

const plants = openPlants(DATABASE);
const app = createFastify();

app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) {
    return reply.code(401).send({ error: 401, message: 'no valid token' });
  }
});

app.post<{ Body: Plant }>('/plants', { schema: { body: plant, response: { 200: created } } }, (request, reply) => {
  if (plants.create(request.body)) reply.send(request.body);
  else reply.code(400).send({ error: 400, message: `id ${request.body.id} is already taken` });
});

app.get<{ Querystring: { limit: number; tag?: string } }>(
  '/plants',
  { schema: { querystring: query, response: { 200: { type: 'array', items: plant } } } },
  (request, reply) => {
    reply.send(plants.list(request.query.limit, request.query.tag));
  },
);

app.get<{ Params: { id: number } }>(
  '/plants/:id',
  { schema: { params: parameters, response: { 200: plant } } },
  (request, reply) => {
    const found = plants.get(request.params.id);
    if (found === undefined) reply.code(404).send({ error: 404, message: 'no such plant' });
    else reply.send(found);
  },
);

await app.listen({ host: HOST, port: PORT });
announce();
