/** Lists the features, composes their options and errors, and loads the features that a configuration asks for. */
import type { Config } from '../cli/command-line.ts';
import type { ServeConfig } from '../config.ts';
import { type Catalogue, storeErrors } from '../errors.ts';
import type { OpenFeature } from '../feature.ts';
import { refuseDuplicates } from '../util/refuse-duplicates.ts';
import type { FeatureEntry } from './entry.ts';
import { EVENTS_ENTRY } from './events/entry.ts';
import { SANDBOX_ENTRY } from './sandbox/entry.ts';

/** From the innermost to the outermost: the events wrap a sandbox, and a sandbox wraps the store. */
export const FEATURES = [SANDBOX_ENTRY, EVENTS_ENTRY] as const;

/** The parts with this name that some of the features have. */
type PartsNamed<Name extends string, One = (typeof FEATURES)[number]> =
  One extends Readonly<Record<Name, infer Part>> ? Part : never;
type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Every) => void
  ? Every
  : never;

export type FeatureOptions = All<PartsNamed<'options'>>;
/** The configuration of a service with all options. */
export type FullConfig = ServeConfig & Config<FeatureOptions>;

declare module '../errors.ts' {
  interface Catalogue extends Readonly<Record<keyof All<PartsNamed<'errors'>>, string>> {}
}

const errorTables = [storeErrors, ...FEATURES.map(markedErrors)];
refuseDuplicates('error numbers', errorTables.flatMap(Object.keys));
/** Every error number with its text. The text of a feature's number names the feature. */
export const catalogue: Catalogue = Object.assign({}, ...errorTables);

function markedErrors({ name, errors = {} }: FeatureEntry): Readonly<Record<string, string>> {
  const marked = Object.entries(errors).map(([code, text]) => [code, text.replace(/\.$/, ` (${name} only).`)]);
  return Object.fromEntries(marked);
}

export function loadFeatures(
  config: FullConfig,
  features: readonly FeatureEntry[] = FEATURES,
): Promise<readonly OpenFeature[]> {
  return Promise.all(features.filter((entry) => entry.isAskedFor(config)).map((entry) => entry.load(config)));
}
