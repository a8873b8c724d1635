/** The garden: about 50 plants to begin with. */
import { readAsset } from '../util/assets.ts';
import type { StoredPlant } from './plant.ts';
import { readPlants } from './plants-json.ts';

/** The plants in ascending order of id. One id is beyond 2^53. The id in the description's example is free. */
export function readGarden(): readonly StoredPlant[] {
  return readPlants(readAsset('plants/garden.json').toString());
}
