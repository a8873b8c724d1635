/** The context of handlers, without HTTP or SQL, and the Problems that several handlers return. */
import type { Links } from '../contract/links.ts';
import type { operations } from '../contract/openapi.generated.ts';
import type { Handler, Handlers } from '../contract/operation.ts';
import { Problem } from '../errors.ts';
import type { Cursors, PlantList } from '../plants/cursor.ts';
import type { PlantId, StoreName } from '../plants/plant.ts';
import type { PlantStore } from '../plants/plant-store.ts';

export interface Context {
  /** The store of the credential, which a handler passes to `plants`. */
  readonly store: StoreName;
  readonly plants: Pick<PlantStore, 'create' | 'get' | 'list' | 'replace' | 'delete'>;
  readonly cursors: Cursors<PlantList>;
  readonly links: Links<typeof operations>;
}

export type PlantHandlers = Handlers<typeof operations, Context>;
export type PlantHandler<Id extends keyof typeof operations> = Handler<(typeof operations)[Id], Context>;

export function noSuchPlant(id: PlantId): Problem<40401> {
  return new Problem(40401, `No plant has the id ${id}.`);
}

/** `conditions`: the parameters of a request. At least one of its conditions does not hold. */
export function preconditionFailed(id: PlantId, conditions: object): Problem<41200> {
  const failed = [
    ...('If-Match' in conditions ? ['If-Match does not name'] : []),
    ...('If-None-Match' in conditions ? ['If-None-Match names'] : []),
  ];
  return new Problem(41200, `${failed.join(', or ')} the current version of plant ${id}; nothing was changed.`);
}
