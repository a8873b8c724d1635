/** The problems that several operations share. */
import { Problem } from '../errors.ts';
import type { PlantId } from '../plants/plant.ts';

export function noSuchPlant(id: PlantId): Problem<40401> {
  return new Problem(40401, `There is no plant ${id}.`);
}

export function preconditionFailed(id: PlantId): Problem<41200> {
  return new Problem(41200, `If-Match does not name the current version of plant ${id}; nothing was changed.`);
}
