/** Defects of stores: a credential reaches the plants of another store. */

import type { PlantStore } from '../../src/feature.ts';
import type { StoreName } from '../../src/plants/plant.ts';
import type { OperationId, TierDefect } from './defect.ts';
import { ALOE, CALLS, create, example } from './examples.ts';
import { changePlants } from './planting.ts';

/** Performs an action in each store, until one has the plant. */
type Reach = <Result>(store: StoreName, act: (store: StoreName) => Promise<Result>) => Promise<Result>;

/** An operation also reaches plants in the other stores in which clients have created plants. */
const reachesOthers = (
  name: string,
  operation: OperationId,
  does: string,
  change: (plants: PlantStore, reach: Reach) => Partial<PlantStore>,
): TierDefect => ({
  name,
  does,
  operation,
  breaks: 'A credential belongs to one store and sees nothing of any other store.',
  ...example('200, then 404', create(ALOE, 'OTHER_TOKEN'), CALLS[operation].send()),
  classes: { owasp: 'API1', cwe: 639 },
  plant: changePlants((plants, count) => {
    const stores = new Set<StoreName>();
    return {
      create(store, plant) {
        stores.add(store);
        return plants.create(store, plant);
      },
      ...change(plants, async (store, act) => {
        const own = await act(store);
        for (const one of own === undefined || own === 'absent' ? stores : []) {
          const result = await act(one);
          if (result === undefined || result === 'absent') continue;
          count();
          return result;
        }
        return own;
      }),
    };
  }),
});

export const storeDefects: readonly TierDefect[] = [
  reachesOthers(
    'plant-of-another-store',
    'getPlant',
    'GET /plants/{id} also returns plants of other stores.',
    (plants, reach) => ({ get: (store, id) => reach(store, (one) => plants.get(one, id)) }),
  ),
  reachesOthers(
    'replaced-in-another-store',
    'replacePlant',
    'PUT /plants/{id} also replaces plants of other stores.',
    (plants, reach) => ({
      replace: (store, plant, condition) => reach(store, (one) => plants.replace(one, plant, condition)),
    }),
  ),
  reachesOthers(
    'deleted-in-another-store',
    'deletePlant',
    'DELETE /plants/{id} also deletes plants of other stores.',
    (plants, reach) => ({
      delete: (store, id, condition) => reach(store, (one) => plants.delete(one, id, condition)),
    }),
  ),
];
