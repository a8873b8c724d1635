/** The handlers of the store's API. The type demands one for each operationId of the description. */
import type { PlantHandlers } from './context.ts';
import { createPlant } from './create-plant.ts';
import { deletePlant } from './delete-plant.ts';
import { getPlant } from './get-plant.ts';
import { listPlants } from './list-plants.ts';
import { replacePlant } from './replace-plant.ts';

export const handlers: PlantHandlers = { createPlant, deletePlant, getPlant, listPlants, replacePlant };
