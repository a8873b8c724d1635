/** deletePlant: takes a plant out of the store; its id may be taken again. */
import type { Handler } from '../contract/handlers.ts';
import type { Context } from './context.ts';
import { expectedVersions } from './entity-tag.ts';
import { noSuchPlant, preconditionFailed } from './problems.ts';

export const deletePlant: Handler<'deletePlant', Context> = async ({ parameters }, { store, plants }) => {
  const { id, 'If-Match': field } = parameters;
  const outcome = await plants.delete(store, id, expectedVersions(field));
  if (outcome === 'absent') return noSuchPlant(id);
  if (outcome === 'stale') return preconditionFailed(id);
  return { status: 204 };
};
