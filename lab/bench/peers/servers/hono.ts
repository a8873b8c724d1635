/** The Hono application, which both runtimes serve. */
import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import type { Plants } from './plants.ts';
import { listParameters, newPlant, pathParameters } from './schemas.ts';

export function createApp(plants: Plants, token: string): Hono {
  const app = new Hono();

  app.use(async (c, next) => {
    if (c.req.header('authorization') !== `Bearer ${token}`)
      return c.json({ error: 401, message: 'no valid token' }, 401);
    return next();
  });

  app.post('/plants', zValidator('json', newPlant), (c) => {
    const plant = c.req.valid('json');
    if (!plants.create(plant)) return c.json({ error: 400, message: `id ${plant.id} is already taken` }, 400);
    return c.json({ name: plant.name, tag: plant.tag });
  });

  app.get('/plants', zValidator('query', listParameters), (c) => {
    const { limit, tag } = c.req.valid('query');
    return c.json(plants.list(limit, tag));
  });

  app.get('/plants/:id', zValidator('param', pathParameters), (c) => {
    const plant = plants.get(c.req.valid('param').id);
    return plant === undefined ? c.json({ error: 404, message: 'no such plant' }, 404) : c.json(plant);
  });

  return app;
}
