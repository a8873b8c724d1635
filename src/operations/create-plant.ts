/** createPlant: stores a new plant. Repeating a request is safe, since the client chooses the id. */
import { Problem } from '../errors.ts';
import type { PlantHandler } from './context.ts';

export const createPlant: PlantHandler<'createPlant'> = async ({ body }, { store, plants, links }) => {
  if ((await plants.create(store, body)) === 'taken') {
    return new Problem(40009, `id ${body.id} is already taken by a different plant.`);
  }
  return { status: 200, headers: { Location: links.to('getPlant', { id: body.id }) }, body };
};
