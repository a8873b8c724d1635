/** Another client's operation on the plant of a request, so that it happens between two attempts of the client. */
import type { PlantId, StoreName } from '../../plants/plant.ts';
import type { PlantStore, Precondition } from '../../plants/plant-store.ts';
import { refuseWhenFull } from './quotas.ts';
import type { Fault } from './sandbox.generated.ts';

export type Rival = NonNullable<Fault['other']>;

/** The name of the plant that the other client stores. */
const NAME = 'Another client';

/**
 * Reads what the other client knows of the plant now, and resolves to its operation. The operation does nothing if it
 * is not possible, and throws a Problem (40010) if the sandbox is full.
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
  const replace = (condition?: Precondition) => refuseWhenFull(() => plants.replace(store, plant, condition));
  const remove = () => plants.delete(store, id);
  const recreate = () => remove().then(() => refuseWhenFull(() => plants.create(store, plant)));
  return { replace: () => replace(), replaceIfMatch: () => replace(unchanged), delete: remove, recreate }[rival];
}
