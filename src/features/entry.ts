/** An entry of a list of features: when a service has the feature, and what the command line needs for it. */
import type { Config, Options, Stdio } from '../cli/command-line.ts';
import type { ServeConfig } from '../config.ts';
import type { OpenFeature } from '../feature.ts';

/** `Own`: the options of the feature, in addition to those of every service. */
export interface FeatureEntry<Own extends Options = Record<never, never>> {
  /** Options of `plantstore serve`. Their values are members of the configuration. Default: none. */
  readonly options?: Own;
  isAskedFor(config: ServeConfig & Config<Own>): boolean;
  /** Imports the feature's code. Most services start without it. */
  load(config: ServeConfig & Config<Own>): Promise<OpenFeature>;
  /** Prepares `plantstore serve`. Rejects with a UsageError if options contradict each other. */
  prepare?(given: ServeConfig & Config<Own>, stdio: Stdio): Promise<Preparation | undefined>;
}

/** What a feature does to the command `serve`. */
export interface Preparation {
  /** Values that replace those of the options. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Settles when the service should stop, as after a signal. */
  readonly ended?: Promise<void>;
  /** Paragraphs of the greeting that warn the operator. `program`: how the operator calls this program. */
  warnings?(program: string): readonly string[];
  /** Called when the service is ready, with its URL. */
  onReady?(url: string): void;
}
