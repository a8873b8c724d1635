/** listPlants: returns a page of plants, ascending by id. The Link header contains the next page, if any. */
import { Problem } from '../errors.ts';
import type { StoredPlant } from '../plants/plant.ts';
import type { PlantHandler } from './context.ts';

export const listPlants: PlantHandler<'listPlants'> = async ({ parameters }, context) => {
  const { store, plants, cursors, links } = context;
  const { limit, tag, after: cursor } = parameters;
  const list = { store, tag };
  const place = cursor === undefined ? [] : cursors.decode(list, cursor);
  if (place === undefined) {
    return new Problem(40006, 'after must be a cursor from the Link header of a page of this store and this tag.');
  }
  // If there is one more plant than the limit, there is a next page.
  const found = await plants.list(store, { after: place[0], tag, limit: limit + 1 });
  if (found.length <= limit) return { status: 200, body: found };
  const page = found.slice(0, limit);
  const last = page.at(-1) as StoredPlant;
  const next = links.to('listPlants', { limit, tag, after: cursors.encode(list, last.id) });
  return { status: 200, headers: { Link: `<${next}>; rel="next"` }, body: page };
};
