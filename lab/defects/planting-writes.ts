/** Ways to plant a defect of writes: another result, or another plant in the store. */

import type { Created, PlantStore, Precondition } from '../../src/feature.ts';
import type { PlantId, StoredPlant, StoreName, VersionedPlant } from '../../src/plants/plant.ts';
import type { Plant } from './defect.ts';
import { changePlants } from './planting.ts';
import type { Ids } from './variants.ts';

/** Performs something after a write. Its result replaces that of the write. Undefined changes nothing. */
type Act<Written, Result> = (
  plants: PlantStore,
  store: StoreName,
  written: Written,
  condition: Precondition,
) => Promise<Result | undefined>;

/** Acts after creates that end with `when`. */
export const afterCreate = (ids: Ids, when: Created, act: Act<StoredPlant, Created>): Plant =>
  changePlants((plants, count) => ({
    async create(store, plant) {
      const result = await plants.create(store, plant);
      const other = result === when && ids.includes(plant.id) ? await act(plants, store, plant, {}) : undefined;
      if (other !== undefined) count();
      return other ?? result;
    },
  }));

type Replaced = VersionedPlant | 'absent' | 'stale';
/** Acts after replaces that end with `when`. */
export const afterReplace = (ids: Ids, when: 'absent' | 'stale', act: Act<StoredPlant, Replaced>): Plant =>
  changePlants((plants, count) => ({
    async replace(store, plant, condition = {}) {
      const result = await plants.replace(store, plant, condition);
      const other = result === when && ids.includes(plant.id) ? await act(plants, store, plant, condition) : undefined;
      if (other !== undefined) count();
      return other ?? result;
    },
  }));

type Deleted = 'deleted' | 'absent' | 'stale';
/** Acts after deletes that end with `when`. */
export const afterDelete = (ids: Ids, when: Deleted, act: Act<PlantId, Deleted>): Plant =>
  changePlants((plants, count) => ({
    async delete(store, id, condition = {}) {
      const result = await plants.delete(store, id, condition);
      const other = result === when && ids.includes(id) ? await act(plants, store, id, condition) : undefined;
      if (other !== undefined) count();
      return other ?? result;
    },
  }));

/** The most plants that are remembered. No tester changes more. */
const MAX_REMEMBERED = 10_000;

/** Former versions of plants, by store and id. */
interface Memory {
  /** `ms`: how long ago it was kept at most. */
  find(store: StoreName, id: PlantId, ms?: number): VersionedPlant | undefined;
  all(store: StoreName): readonly VersionedPlant[];
}

/** Remembers the plants that are replaced or deleted. `change` may return them. */
export const remember = (
  ids: Ids,
  from: 'replace' | 'delete',
  change: (plants: PlantStore, memory: Memory, count: () => void) => Partial<PlantStore>,
): Plant =>
  changePlants((plants, count) => {
    const kept = new Map<string, { readonly store: StoreName; readonly plant: VersionedPlant; readonly at: number }>();
    const write = async <R>(store: StoreName, id: PlantId, isLost: boolean, act: () => Promise<R>): Promise<R> => {
      const plant = isLost && ids.includes(id) ? await plants.get(store, id) : undefined;
      const result = await act();
      const isDone = result !== 'absent' && result !== 'stale';
      if (isDone) kept.delete(`${store}/${id}`);
      if (isDone && plant !== undefined && kept.size < MAX_REMEMBERED) {
        kept.set(`${store}/${id}`, { store, plant, at: performance.now() });
      }
      return result;
    };
    const memory: Memory = {
      find(store, id, ms = Infinity) {
        const found = kept.get(`${store}/${id}`);
        return found !== undefined && performance.now() - found.at < ms ? found.plant : undefined;
      },
      all: (store) => [...kept.values()].filter((one) => one.store === store).map(({ plant }) => plant),
    };
    return {
      replace: (store, plant, condition) =>
        write(store, plant.id, from === 'replace', () => plants.replace(store, plant, condition)),
      delete: (store, id, condition) => write(store, id, from === 'delete', () => plants.delete(store, id, condition)),
      ...change(plants, memory, count),
    };
  });
