/** What a handler may reach: the credential's store, the plants, addresses; nothing of HTTP or SQL. */
import type { Links } from '../contract/links.ts';
import type { operations } from '../contract/openapi.generated.ts';
import type { Handler, Handlers } from '../contract/operation.ts';
import type { Cursors } from '../plants/cursor.ts';
import type { StoreName } from '../plants/plant.ts';
import type { PlantStore } from '../plants/plant-store.ts';

export interface Context {
  /** The only store that a handler can name: the credential's. */
  readonly store: StoreName;
  readonly plants: PlantStore;
  readonly cursors: Cursors;
  readonly links: Links<typeof operations>;
}

export type PlantHandlers = Handlers<typeof operations, Context>;
export type PlantHandler<Id extends keyof typeof operations> = Handler<(typeof operations)[Id], Context>;
