/** What a feature may add to a service. A feature is a part that is loaded only when the configuration asks for it. */
import type { TokenStore } from './auth/token.ts';
import type { ServeConfig } from './config.ts';
import type { Operation } from './contract/operation.ts';
import type { PageParts } from './docs/index.ts';
import type { Api } from './http/api.ts';
import type { Check, Observe, Steps } from './http/pipeline.ts';
import type { Pages } from './http/router.ts';
import type { Logger } from './observe/log.ts';
import type { Metric } from './observe/metrics.ts';
import type { PlantStore } from './plants/plant-store.ts';
import type { Engine } from './stores/engine.ts';

/**
 * Every member is optional. A wrapping member gets what it wraps: the service's own part, or that part as the features
 * before it have wrapped it. So the last feature of a service is the outermost.
 */
export interface Feature {
  readonly apis?: readonly Api[];
  /** Pages by path, below the base URL's prefix. */
  readonly pages?: Pages;
  /** What the documentation page shows beside the reference. */
  readonly page?: PageParts;
  /** Wraps each operation of every Api: another schema, other scopes. */
  readonly operation?: (operation: Operation) => Operation;
  readonly checks?: (order: readonly Check[]) => readonly Check[];
  readonly steps?: (steps: Steps) => Steps;
  readonly plants?: (plants: PlantStore) => PlantStore;
  readonly tokens?: (tokens: TokenStore) => TokenStore;
  /** Called with every response after `finish`. */
  readonly observers?: readonly Observe[];
  readonly metrics?: readonly Metric[];
  /** Called after the listener is closed and before the engine is. */
  close?(): void | Promise<void>;
}

/** What a feature is opened with. */
export interface FeatureContext {
  readonly config: ServeConfig;
  /** The open engine. */
  readonly engine: Engine;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/** Opens a feature once the engine is open. Throws a StartupError, in one line, when it cannot be opened. */
export type OpenFeature = (context: FeatureContext) => Feature | Promise<Feature>;
