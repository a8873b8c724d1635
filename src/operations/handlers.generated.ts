// Generated from contract/openapi.yaml by npm run generate. Do not edit.
import type { PlantHandlers } from './context.ts';
import { createPlant } from './create-plant.ts';
import { deletePlant } from './delete-plant.ts';
import { getPlant } from './get-plant.ts';
import { listPlants } from './list-plants.ts';
import { replacePlant } from './replace-plant.ts';

export const handlers: PlantHandlers = { createPlant, deletePlant, getPlant, listPlants, replacePlant };
