/** replacePlant: another name and tag for a plant that exists; it never creates one. */
import { readCondition } from '../contract/condition.ts';
import type { Handler } from '../contract/handlers.ts';
import type { Context } from './context.ts';
import { entityTag, expectedVersions } from './entity-tag.ts';
import { noSuchPlant, preconditionFailed } from './problems.ts';

export const replacePlant: Handler<'replacePlant', Context> = async ({ parameters, body }, { store, plants }) => {
  const { id, 'If-Match': field } = parameters;
  const condition = field === undefined ? '*' : readCondition(field);
  const plant = await plants.replace(store, { id, ...body }, expectedVersions(condition));
  if (plant === 'absent') return noSuchPlant(id);
  if (plant === 'stale') return preconditionFailed(id);
  return { status: 200, headers: { ETag: entityTag(plant.version) }, body: plant };
};
