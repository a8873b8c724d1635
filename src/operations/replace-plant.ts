/** replacePlant: changes the name and tag of an existing plant. It never creates one. */
import { entityTag, expectedVersions } from '../contract/entity-tags.ts';
import { noSuchPlant, type PlantHandler, preconditionFailed } from './context.ts';

export const replacePlant: PlantHandler<'replacePlant'> = async ({ parameters, body }, { store, plants }) => {
  const { id, 'If-Match': ifMatch } = parameters;
  const plant = await plants.replace(store, { id, ...body }, expectedVersions(ifMatch));
  if (plant === 'absent') return noSuchPlant(id);
  if (plant === 'stale') return preconditionFailed(id);
  return { status: 200, headers: { ETag: entityTag(plant.version) }, body: plant };
};
