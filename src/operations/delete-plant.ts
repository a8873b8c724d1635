/** deletePlant: removes a plant. Its id can be used again. */
import { expectedVersions } from '../contract/entity-tags.ts';
import { noSuchPlant, type PlantHandler, preconditionFailed } from './context.ts';

export const deletePlant: PlantHandler<'deletePlant'> = async ({ parameters }, { store, plants }) => {
  const { id, 'If-Match': ifMatch } = parameters;
  const result = await plants.delete(store, id, expectedVersions(ifMatch));
  if (result === 'absent') return noSuchPlant(id);
  if (result === 'stale') return preconditionFailed(id);
  return { status: 204 };
};
