/** replacePlant: changes the name and tag of an existing plant. It never creates one. */
import { entityTag, versionsFor } from '../contract/entity-tags.ts';
import { noSuchPlant, type PlantHandler, preconditionFailed } from './context.ts';

export const replacePlant: PlantHandler<'replacePlant'> = async ({ parameters, body }, { store, plants }) => {
  const { id } = parameters;
  const plant = await plants.replace(store, { id, ...body }, versionsFor(parameters));
  if (plant === 'absent') return noSuchPlant(id);
  if (plant === 'stale') return preconditionFailed(id, parameters);
  return { status: 200, headers: { ETag: entityTag(plant.version) }, body: plant };
};
