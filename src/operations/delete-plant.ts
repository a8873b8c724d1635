/** deletePlant: removes a plant. Its id can be used again. */
import { versionsFor } from '../contract/entity-tags.ts';
import { noSuchPlant, type PlantHandler, preconditionFailed } from './context.ts';

export const deletePlant: PlantHandler<'deletePlant'> = async ({ parameters }, { store, plants }) => {
  const { id } = parameters;
  const result = await plants.delete(store, id, versionsFor(parameters));
  if (result === 'absent') return noSuchPlant(id);
  if (result === 'stale') return preconditionFailed(id, parameters);
  return { status: 204 };
};
