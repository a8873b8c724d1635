/** Another client's operation on the plant of a request, so that it happens between two attempts of the client. */
import type { Operation } from '../../../contract/operation.ts';
import type { PlantId, StoreName } from '../../../plants/plant.ts';
import type { PlantStore, Precondition } from '../../../plants/plant-store.ts';
import type { Fault } from '../sandbox.generated.ts';
import { oneOf } from './fault-kind.ts';

export type Rival = NonNullable<Fault['other']>;

/** The schema of the member `other`, which each kind of fault takes. */
export const OTHER = oneOf(
  ['replace', 'replaceIfMatch', 'delete', 'recreate'],
  'For each kind, if the request has the id of a plant: what another client does to this plant, just before the ' +
    'operation or just after its commit. The record of requests leaves it out. replace: the name becomes ' +
    '"Another client", without a tag. replaceIfMatch: the same, unless the plant has changed since the request ' +
    'arrived. delete: deletes the plant. recreate: deletes the plant, if there is one, and creates another with the ' +
    'name "Another client".',
);

/** Whether a request for the operation contains the id of a plant. Webhooks have ids too. */
export function hasPlant({ path, body, parameters }: Operation): boolean {
  return /^\/plants(?:\/|$)/.test(path) && (body !== undefined || parameters.some(({ name }) => name === 'id'));
}

/** The name of the plant that the other client stores. */
const NAME = 'Another client';

/**
 * Reads what the other client knows of the plant now, and resolves to its operation. The operation does nothing if it
 * is not possible.
 */
export async function prepareRival(
  plants: PlantStore,
  store: StoreName,
  id: PlantId,
  rival: Rival,
): Promise<() => Promise<unknown>> {
  const plant = { id, name: NAME };
  const known = rival === 'replaceIfMatch' ? await plants.get(store, id) : undefined;
  const unchanged = { only: known === undefined ? [] : [known.version] };
  const replace = (condition?: Precondition) => plants.replace(store, plant, condition);
  const remove = () => plants.delete(store, id);
  const recreate = () => remove().then(() => plants.create(store, plant));
  return { replace: () => replace(), replaceIfMatch: () => replace(unchanged), delete: remove, recreate }[rival];
}
