/** createPlant: stores a new plant; a repetition is safe, since the id is the client's. */
import type { Handler } from '../contract/handlers.ts';
import { Problem } from '../errors.ts';
import type { Context } from './context.ts';

export const createPlant: Handler<'createPlant', Context> = async ({ body }, { store, plants, base }) => {
  if ((await plants.create(store, body)) === 'taken') {
    return new Problem(40009, `id ${body.id} is already taken by a different plant.`);
  }
  return { status: 200, headers: { Location: `${base}/plants/${body.id}` }, body };
};
