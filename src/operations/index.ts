/** Owns the table of handlers: one for each operationId of the description, or it does not compile. */
import type { Handlers } from '../contract/handlers.ts';
import type { Context } from './context.ts';
import { createPlant } from './create-plant.ts';
import { deletePlant } from './delete-plant.ts';
import { getPlant } from './get-plant.ts';
import { listPlants } from './list-plants.ts';
import { replacePlant } from './replace-plant.ts';

export const handlers = {
  createPlant,
  deletePlant,
  getPlant,
  listPlants,
  replacePlant,
} satisfies Handlers<Context>;
