/** The garden: some 50 plants to begin with. */
import { readAsset } from '../assets.ts';
import type { StoredPlant } from '../plants/plant.ts';

/** In ascending order of their ids, of which one is beyond 2^53 and none is that of the description's example. */
export function readGarden(): readonly StoredPlant[] {
  // JSON.parse makes an id a double, which does not hold each of them.
  const exact = (key: string, value: unknown, context?: { source?: string }) =>
    key === 'id' ? BigInt(context?.source ?? '') : value;
  return JSON.parse(readAsset('demo/garden.json').toString(), exact) as readonly StoredPlant[];
}
