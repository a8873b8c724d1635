/** The store's API: a handler for each operation of the description. Each request uses the store of its credential. */
import { createLinks } from '../contract/links.ts';
import { operations } from '../contract/openapi.generated.ts';
import { type Api, createApi } from '../http/api.ts';
import { createCursors, PLANT_LISTS } from '../plants/cursor.ts';
import type { PlantStore } from '../plants/plant-store.ts';
import { handlers } from './handlers.generated.ts';

/** `base`: the beginning of all links. */
export function createPlantApi(plants: PlantStore, cursorKey: Uint8Array, base: string): Api {
  const cursors = createCursors(cursorKey, PLANT_LISTS);
  const links = createLinks(operations, base);
  return createApi({
    operations,
    handlers,
    contextOf: (exchange) => ({ store: exchange.credential.store, plants, cursors, links }),
    documents: {
      '/openapi.json': 'contract/openapi.served.json',
      '/openapi.yaml': '../contract/openapi.yaml',
      '/openapi-3.0.json': 'contract/openapi.served-3.0.json',
      '/arazzo.yaml': '../contract/workflows.arazzo.yaml',
    },
  });
}
