/** `plantstore serve --demo`: something to play with, which needs no preparation and leaves nothing behind. */
import type { PlantStore } from '../plants/plant-store.ts';
import { readGarden } from './garden.ts';

/** What takes the place of the options; the token is no secret, and the page fills it in. */
export const settings = { database: 'temporary', token: 'demo' } as const;

export async function plantGarden(plants: PlantStore): Promise<void> {
  await plants.createMany('default', readGarden());
}
