/** The garden: about 50 plants to begin with. */
import { readAsset } from '../util/assets.ts';
import type { StoredPlant } from './plant.ts';
import { readPlants } from './plants-json.ts';

let garden: readonly StoredPlant[] | undefined;

/** The plants in ascending order of id. One id is beyond 2^53. The id in the description's example is free. */
export function readGarden(): readonly StoredPlant[] {
  // Kept, since each reset may need the plants again, and reading them takes longer than storing them.
  garden ??= readPlants(readAsset('plants/garden.json').toString());
  return garden;
}
