/** listPlants: a page of the store, ascending by id, with the address of the next one while there is more. */
import type { Handler } from '../contract/handlers.ts';
import { Problem } from '../errors.ts';
import type { StoredPlant } from '../plants/plant.ts';
import type { Context } from './context.ts';

export const listPlants: Handler<'listPlants', Context> = async ({ parameters }, context) => {
  const { limit, tag, after: cursor } = parameters;
  const scope = { store: context.store, tag };
  const after = cursor === undefined ? undefined : context.cursors.decode(scope, cursor);
  if (cursor !== undefined && after === undefined) {
    return new Problem(40006, 'after must be a cursor from the Link header of a page of this store and this tag.');
  }
  // One more than asked for tells whether there is a next page.
  const found = await context.plants.list(context.store, { after, tag, limit: limit + 1 });
  const page = found.slice(0, limit);
  if (found.length <= limit) return { status: 200, body: page };
  const last = page.at(-1) as StoredPlant;
  const query = new URLSearchParams({ limit: String(limit) });
  if (tag !== undefined) query.set('tag', tag);
  query.set('after', context.cursors.encode(scope, last.id));
  return { status: 200, headers: { Link: `<${context.base}/plants?${query}>; rel="next"` }, body: page };
};
