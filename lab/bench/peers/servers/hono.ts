/** The Hono application, which both runtimes serve. */
import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { $ZodError } from 'zod/v4/core';
import { always, type Fields, JSON_TYPE, NO_STORE, ofNewPlant, ofPage, ofPlant } from './fields.ts';
import { newPlantJson, parseJson, plantJson, plantsJson } from './json.ts';
import type { Plants } from './plants.ts';
import { listParameters, newPlant, pathParameters } from './schemas.ts';

export function createApp(plants: Plants): Hono {
  const app = new Hono();

  app.use(async (c, next) => {
    const scope = c.req.method === 'GET' ? 'plants:read' : 'plants:write';
    if (plants.mayUse(c.req.header('authorization'), scope)) return next();
    return problem(401, 'no valid token', { 'WWW-Authenticate': 'Bearer realm="plants"' });
  });

  app.post('/plants', async (c) => {
    const plant = newPlant.parse(parseJson(await c.req.text()));
    if (!plants.create(plant)) return problem(400, `id ${plant.id} is already taken`);
    return json(200, newPlantJson(plant), ofNewPlant(plant.id));
  });

  app.get('/plants', zValidator('query', listParameters, refuse), (c) => {
    const { limit, tag, after } = c.req.valid('query');
    const page = plants.list(limit, tag, after);
    return json(200, plantsJson(page.plants), ofPage(page, limit, tag));
  });

  app.get('/plants/:id', zValidator('param', pathParameters, refuse), (c) => {
    const plant = plants.get(c.req.valid('param').id);
    if (plant === undefined) return problem(404, 'no such plant');
    const fields = ofPlant(plant);
    if (c.req.header('if-none-match') !== fields.ETag) return json(200, plantJson(plant), fields);
    return new Response(null, { status: 304, headers: { ...always(), ...fields } });
  });

  app.onError((error) => {
    const status = error instanceof $ZodError || error.name === 'SyntaxError' ? 400 : 500;
    return problem(status, status === 500 ? 'internal error' : error.message);
  });

  return app;
}

function refuse({ error }: { readonly success: boolean; readonly error?: unknown }): void {
  if (error !== undefined) throw error;
}

function json(status: number, body: string, fields: Fields): Response {
  return new Response(body, { status, headers: { ...always(), ...JSON_TYPE, ...fields } });
}

function problem(status: number, message: string, fields: Fields = {}): Response {
  return json(status, JSON.stringify({ error: status, message }), { ...NO_STORE, ...fields });
}
