/** The APIs of Plant Store, each with its planted defects. What differs between them is here, and nowhere else. */
import type { FullConfig } from '../../src/program.ts';
import { credentialDefects } from './credential-defects.ts';
import { storeDefects } from './credentials-stores.ts';
import type { Defect, Tier, TierDefect, Variant } from './defect.ts';
import { eventDefects } from './event-defects.ts';
import { bodyDefects } from './input-bodies.ts';
import { inputDefects } from './input-defects.ts';
import { failureDefects } from './input-failures.ts';
import { protocolDefects } from './protocol-defects.ts';
import { transportDefects } from './protocol-transport.ts';
import { sandboxDefects } from './sandbox-defects.ts';
import { contentDefects } from './schema-content.ts';
import { schemaDefects } from './schema-defects.ts';
import { stateDefects } from './state-defects.ts';
import { listDefects } from './state-lists.ts';
import { versionDefects } from './state-versions.ts';
import { placeOf } from './variants.ts';

/** The defects of each tier. */
type Tiers = Partial<Readonly<Record<Tier, readonly TierDefect<string>[]>>>;

/** An API, as a service to grade on and as a part of the service in which a defect can be planted. */
export interface PlantedApi {
  /** The name of the service in a result. */
  readonly title: string;
  /** The path of the description, and the asset that is served there. */
  readonly openapi: string;
  readonly description: string;
  /** The options of `serve` for a grading on this API. */
  readonly serve: readonly string[];
  /** What the tester gets: tokens of stores, or the tokens of two sandboxes. */
  readonly credentials: 'tokens' | 'sandboxes';
  /** Whether `--variants` and `--plants` change a grading on this API. */
  readonly canVary: boolean;
  /** The option that its defects need, or `--demo`. Undefined: none. */
  readonly option?: string;
  /** Whether a service with this configuration has the API. */
  isServed(config: FullConfig): boolean;
  /** Every variant of each defect by its name, the published defect first. */
  readonly variants: ReadonlyMap<string, readonly Defect[]>;
}

export type ApiName = 'plants' | 'sandboxes' | 'events';

export const APIS: Readonly<Record<ApiName, PlantedApi>> = {
  plants: {
    title: 'Plant Store',
    openapi: '/openapi.json',
    description: 'contract/openapi.served.json',
    serve: [],
    credentials: 'tokens',
    canVary: true,
    isServed: () => true,
    variants: variantsIn({
      schema: [...schemaDefects, ...contentDefects],
      input: [...inputDefects, ...failureDefects, ...bodyDefects],
      credentials: [...credentialDefects, ...storeDefects],
      state: [...stateDefects, ...versionDefects, ...listDefects],
      protocol: [...protocolDefects, ...transportDefects],
    }),
  },
  sandboxes: {
    title: 'Sandboxes of Plant Store',
    openapi: '/sandbox/openapi.json',
    description: 'features/sandbox/sandbox.served.json',
    // A tester can create as many sandboxes as it wants, and as fast as it can.
    serve: [
      ...['--sandboxes', '1000000', '--sandboxes-per-address', '1000000'],
      ...['--sandbox-create-rate', 'off', '--sandbox-control-rate', 'off'],
    ],
    credentials: 'sandboxes',
    canVary: false,
    option: '--sandboxes',
    isServed: ({ demo, sandboxes }) => demo === true || sandboxes !== undefined,
    variants: variantsIn(sandboxDefects),
  },
  events: {
    title: 'Events of Plant Store',
    openapi: '/events/openapi.json',
    description: 'features/events/events.served.json',
    serve: ['--events'],
    credentials: 'tokens',
    canVary: true,
    option: '--events',
    isServed: ({ demo, events }) => demo === true || events === true,
    variants: variantsIn({ state: eventDefects }),
  },
};

export const API_NAMES = Object.keys(APIS) as readonly ApiName[];

/** Every defect of an API: as published, or with a seed the variant of each that has variants. */
export const defectsOf = (api: ApiName, seed?: number): readonly Defect[] =>
  [...APIS[api].variants].flatMap(([name, variants]) => {
    return variants[seed === undefined ? 0 : placeOf(name, seed, variants.length)] ?? [];
  });

/** A defect as published, then each of its variants. */
export const variantsOf = (name: string): readonly Defect[] =>
  Object.values(APIS).flatMap(({ variants }) => variants.get(name) ?? []);

function variantsIn(tiers: Tiers): PlantedApi['variants'] {
  const entries = (Object.keys(tiers) as Tier[]).flatMap((tier) =>
    (tiers[tier] ?? []).map(({ name, ...entry }) => {
      const variants = 'variants' in entry ? entry.variants : [entry];
      return [name, variants.map((variant) => defectFrom(name, tier, variant))] as const;
    }),
  );
  const names = entries.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  // The second would silently replace the first.
  if (twice !== undefined) throw new Error(`two defects have the name ${twice}`);
  return new Map(entries);
}

function defectFrom(name: string, tier: Tier, { classes, ...facts }: Variant<string>): Defect {
  return { name, tier, ruleIn: facts.breaks.startsWith('#/') ? 'schema' : 'prose', ...facts, wfc: [], ...classes };
}
