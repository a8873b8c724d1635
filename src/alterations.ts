/** The parts of a service that something else may take the place of: planted defects, sandboxes. */
import type { TokenStore } from './auth/token.ts';
import type { Operations } from './contract/operation.ts';
import type { Steps } from './http/pipeline.ts';
import type { PlantStore } from './plants/plant-store.ts';

/** Each is given the one that there is. */
export interface Alterations {
  readonly operations?: (table: Operations) => Operations;
  readonly plants?: (plants: PlantStore) => PlantStore;
  readonly tokens?: (tokens: TokenStore) => TokenStore;
  readonly steps?: (steps: Steps) => Steps;
}
