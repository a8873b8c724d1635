/** An entry of a list of features: when a service has the feature, and what it adds to the command line. */
import type { Command, Config, Options, Stdio } from '../cli/command-line.ts';
import type { ServeConfig } from '../config.ts';
import type { OpenFeature } from '../feature.ts';

/** `Own`: the options of the feature, in addition to those of every service. */
export interface FeatureEntry<Own extends Options = Record<never, never>> {
  /** The name of the feature in texts, such as `sandboxes`. */
  readonly name: string;
  /** Options of `plantstore serve`. Default: none. */
  readonly options?: Own;
  /** Further commands of `plantstore`. Default: none. */
  readonly commands?: readonly Command[];
  /** The error numbers that only this feature sends, and when it sends them. Default: none. */
  readonly errors?: Readonly<Record<number, string>>;
  /** Scopes of the feature's operations that a token can have. Default: none. */
  readonly scopes?: readonly string[];
  /** The paths that an open page of the feature reads again and again. A terminal shows no line for a success. */
  readonly polled?: RegExp;
  isAskedFor(config: ServeConfig & Config<Own>): boolean;
  /** Imports the feature's code. Most services start without it. */
  load(config: ServeConfig & Config<Own>): Promise<OpenFeature>;
  /** Rejects with a UsageError if options contradict each other. */
  check?(given: ServeConfig & Config<Own>): Promise<void>;
  /** Prepares `plantstore serve`. */
  prepare?(given: ServeConfig & Config<Own>, stdio: Stdio): Promise<Preparation | undefined>;
}

/** What a feature does to the command `serve`. */
export interface Preparation {
  /** Values that replace those of the options. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Settles when the service should stop, as after a signal. */
  readonly ended?: Promise<void>;
  /** Lines of the greeting, beside the addresses of the service. `url`: the URL before a path. */
  places?(url: string): readonly string[];
  /** Paragraphs of the greeting that warn the operator. `program`: how the operator calls this program. */
  warnings?(program: string): readonly string[];
  /** Called when the service is ready, with its URL. */
  onReady?(url: string): void;
}
