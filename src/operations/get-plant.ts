/** getPlant: a plant with its entity tag, or 304 when the caller has that version already. */
import { names } from '../contract/condition.ts';
import type { Handler } from '../contract/handlers.ts';
import type { Context } from './context.ts';
import { entityTag } from './entity-tag.ts';
import { noSuchPlant } from './problems.ts';

export const getPlant: Handler<'getPlant', Context> = async ({ parameters }, { store, plants }) => {
  const plant = await plants.get(store, parameters.id);
  if (plant === undefined) return noSuchPlant(parameters.id);
  const tag = entityTag(plant.version);
  if (names(parameters['If-None-Match'], tag)) return { status: 304, headers: { ETag: tag } };
  return { status: 200, headers: { ETag: tag }, body: plant };
};
