/** getPlant: returns a plant with its entity tag, or 304 if the client already has this version. */
import { entityTag, hasTag } from '../contract/entity-tags.ts';
import { noSuchPlant, type PlantHandler } from './context.ts';

export const getPlant: PlantHandler<'getPlant'> = async ({ parameters }, { store, plants }) => {
  const { id, 'If-None-Match': ifNoneMatch } = parameters;
  const plant = await plants.get(store, id);
  if (plant === undefined) return noSuchPlant(id);
  const tag = entityTag(plant.version);
  if (hasTag(ifNoneMatch, tag)) return { status: 304, headers: { ETag: tag } };
  return { status: 200, headers: { ETag: tag }, body: plant };
};
