/** Another client's operation on the plant of a request, so that it happens between two attempts of the client. */
import type { PlantId, StoreName } from '../../plants/plant.ts';
import type { PlantStore, Precondition } from '../../plants/plant-store.ts';
import type { Rooms } from './rooms.ts';
import type { Fault } from './sandbox.generated.ts';

export type Rival = NonNullable<Fault['other']>;

/** The name of the plant that the other client stores. */
const NAME = 'Another client';

/**
 * Reads what the other client knows of the plant now, and resolves to its operation. The operation does nothing if it
 * is not possible, and throws a Problem (40010) if the sandbox is full.
 */
export async function prepareRival(
  { plants, rooms }: { readonly plants: PlantStore; readonly rooms: Rooms },
  store: StoreName,
  id: PlantId,
  rival: Rival,
): Promise<() => Promise<unknown>> {
  const plant = { id, name: NAME };
  const known = rival === 'replaceIfMatch' ? await plants.get(store, id) : undefined;
  const unchanged = { only: known === undefined ? [] : [known.version] };
  const write = (creates: boolean, run: () => Promise<unknown>) =>
    rooms.write({ store, plant, creates }, async () => ({ status: NOTHING.includes(await run()) ? 400 : 200 }));
  const replace = (condition?: Precondition) => write(false, () => plants.replace(store, plant, condition));
  const remove = () => plants.delete(store, id).finally(() => rooms.noteDeleted(store));
  const recreate = () => remove().then(() => write(true, () => plants.create(store, plant)));
  return { replace: () => replace(), replaceIfMatch: () => replace(unchanged), delete: remove, recreate }[rival];
}

/** The results of writes that store nothing. */
const NOTHING: readonly unknown[] = ['absent', 'stale', 'same', 'taken'];
