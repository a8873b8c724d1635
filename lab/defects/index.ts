/** Planted defects: each makes the service wrong in one known way, and counts how often it is triggered. */
import { StartupError } from '../../src/errors.ts';
import type { OpenFeature } from '../../src/feature.ts';
import { type Counts, createCounter } from './counts.ts';
import { credentialDefects } from './credentials.ts';
import { storeDefects } from './credentials-stores.ts';
import type { Defect, OperationId, Tier, TierDefect, Variant } from './defect.ts';
import { eventDefects } from './events.ts';
import { sendToParent } from './grader-channel.ts';
import { inputDefects } from './input.ts';
import { bodyDefects } from './input-bodies.ts';
import { failureDefects } from './input-failures.ts';
import { mysteryDefect } from './mysteries.ts';
import { protocolDefects } from './protocol.ts';
import { transportDefects } from './protocol-transport.ts';
import { sandboxDefects } from './sandbox.ts';
import { schemaDefects } from './schema.ts';
import { contentDefects } from './schema-content.ts';
import { stateDefects } from './state.ts';
import { listDefects } from './state-lists.ts';
import { versionDefects } from './state-versions.ts';
import { placeOf } from './variants.ts';

export type { Counts } from './counts.ts';
export type { Defect, Tier } from './defect.ts';

type Tiers<Operation extends string> = Readonly<Record<Tier, readonly TierDefect<Operation>[]>>;
/** The variants of each defect by its name. */
type Variants<Operation extends string> = ReadonlyMap<string, readonly Defect<Operation>[]>;

const plantDefects: Tiers<OperationId | 'any'> = {
  schema: [...schemaDefects, ...contentDefects],
  input: [...inputDefects, ...failureDefects, ...bodyDefects],
  credentials: [...credentialDefects, ...storeDefects],
  state: [...stateDefects, ...versionDefects, ...listDefects],
  protocol: [...protocolDefects, ...transportDefects],
};

/** Every variant of each defect, the published defect first. */
const variantsIn = <Operation extends string>(tiers: Partial<Tiers<Operation>>): Variants<Operation> =>
  new Map(
    (Object.keys(tiers) as Tier[]).flatMap((tier) =>
      (tiers[tier] ?? []).map(({ name, ...entry }) => {
        const variants = 'variants' in entry ? entry.variants : [entry];
        return [name, variants.map((variant) => defectFrom(name, tier, variant))];
      }),
    ),
  );

function defectFrom<O extends string>(name: string, tier: Tier, { classes, ...facts }: Variant<O>): Defect<O> {
  return { name, tier, ruleIn: facts.breaks.startsWith('#/') ? 'schema' : 'prose', ...facts, wfc: [], ...classes };
}

const ofPlants = variantsIn(plantDefects);
const ofEvents = variantsIn({ state: eventDefects });

const draw = <O extends string>(all: Variants<O>, seed: number | undefined): readonly Defect<O>[] =>
  [...all].flatMap(([name, variants]) => {
    return variants[seed === undefined ? 0 : placeOf(name, seed, variants.length)] ?? [];
  });

/** Every defect of the store's API: as published, or with a seed the variant of each that has variants. */
export const defectsOf = (seed?: number): readonly Defect[] => draw(ofPlants, seed);

/** Every defect of the feed of events, as `defectsOf`. */
export const eventDefectsOf = (seed?: number): readonly Defect<string>[] => draw(ofEvents, seed);

/** The published defects of the store's API. */
export const DEFECTS = defectsOf();

/** The defects of the sandboxes' API. They have no variants. */
export const SANDBOX_DEFECTS: readonly Defect<string>[] = [...variantsIn(sandboxDefects).values()].flat();

/** A defect as published, then each of its variants. */
export const variantsOf = (name: string): readonly Defect<string>[] => ofPlants.get(name) ?? ofEvents.get(name) ?? [];

const PLANTED = 'a defect is planted: this service is wrong on purpose';
const sendCounts = (counts: Counts) => sendToParent({ counts });

/** The name for a clean service that only counts requests. */
export const CONTROL = 'none';

/**
 * Plants a defect, or its variant of the seed `variants`. Throws a StartupError if no defect has the name. `send` gets
 * the counts whenever they change.
 */
export function plantDefect(name: string, variants?: number, send: (counts: Counts) => void = sendCounts): OpenFeature {
  const defect = [...defectsOf(variants), ...eventDefectsOf(variants), ...SANDBOX_DEFECTS].find(
    (one) => one.name === name,
  );
  if (defect === undefined && name !== CONTROL) throw new StartupError(`there is no defect ${name}`);
  return ({ log, engine }) => {
    if (defect !== undefined) log.warn({ defect: name, variants }, PLANTED);
    const { observe, count } = createCounter(defect?.operation ?? CONTROL, send);
    return { ...defect?.plant(count, { engine }), observers: [observe] };
  };
}

/** Plants the defect of a mystery, and tells nobody which one it is. */
export function plantMystery(number: number): OpenFeature {
  const { plant } = defectOf(number);
  return ({ log, engine }) => {
    log.warn({ mystery: number }, PLANTED);
    return plant(() => undefined, { engine });
  };
}

/** The defect of a mystery. */
export function defectOf(number: number): Defect {
  const name = mysteryDefect(number);
  const defect = DEFECTS.find((one) => one.name === name);
  if (defect === undefined) throw new Error(`the mystery ${number} names no defect: ${name}`);
  return defect;
}
