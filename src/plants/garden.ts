/** The garden: about 50 plants to begin with. */
import { readAsset } from '../util/assets.ts';
import type { StoredPlant } from './plant.ts';

/** The plants in ascending order of id. One id is beyond 2^53. The id in the description's example is free. */
export function readGarden(): readonly StoredPlant[] {
  // JSON.parse makes an id a double, which cannot hold every int64.
  const exact = (key: string, value: unknown, context?: { source?: string }) =>
    key === 'id' ? BigInt(context?.source ?? '') : value;
  return JSON.parse(readAsset('plants/garden.json').toString(), exact) as readonly StoredPlant[];
}
