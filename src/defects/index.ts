/** Planted defects: each makes the service wrong in one known way, and counts how often it is triggered. */
import { StartupError } from '../errors.ts';
import type { OpenFeature } from '../feature.ts';
import { sendToParent } from '../parent.ts';
import { type Counts, createCounter } from './counts.ts';
import { credentialDefects } from './credentials.ts';
import { storeDefects } from './credentials-stores.ts';
import type { Defect, Draw, OperationId, Tier, TierDefect } from './defect.ts';
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
import { drawVariant, everyVariant, PUBLISHED } from './variants.ts';

export type { Counts } from './counts.ts';
export type { Defect, Tier } from './defect.ts';

type Tiers<Operation extends string> = Readonly<Record<Tier, readonly TierDefect<Operation>[]>>;

const plantDefects: Tiers<OperationId | 'any'> = {
  schema: [...schemaDefects, ...contentDefects],
  input: [...inputDefects, ...failureDefects, ...bodyDefects],
  credentials: [...credentialDefects, ...storeDefects],
  state: [...stateDefects, ...versionDefects, ...listDefects],
  protocol: [...protocolDefects, ...transportDefects],
};

const makersOf = <Operation extends string>(tiers: Tiers<Operation>) =>
  (Object.keys(tiers) as Tier[]).flatMap((tier) =>
    tiers[tier].map((entry) => ({ name: entry.name, make: (draw: Draw) => makeDefect(tier, entry, draw) })),
  );

function makeDefect<Operation extends string>(tier: Tier, entry: TierDefect<Operation>, draw: Draw): Defect<Operation> {
  const variant = 'vary' in entry ? entry.vary(draw) : entry;
  return { wfc: [], ...variant, name: entry.name, tier, ruleIn: variant.breaks.startsWith('#/') ? 'schema' : 'prose' };
}

const makers = makersOf(plantDefects);

/** Every defect of the store's API: as published, or with a seed the variant of each that has variants. */
export function defectsOf(seed?: number): readonly Defect[] {
  return makers.map(({ name, make }) => make(seed === undefined ? PUBLISHED : drawVariant(name, seed)));
}

/** The published defects of the store's API. */
export const DEFECTS = defectsOf();

/** The defects of the sandboxes' API. They have no variants. */
export const SANDBOX_DEFECTS: readonly Defect<string>[] = makersOf(sandboxDefects).map(({ make }) => make(PUBLISHED));

/** A defect as published, then each of its variants. */
export function variantsOf(name: string): readonly Defect[] {
  return makers.flatMap((maker) => (maker.name === name ? everyVariant(maker.make) : []));
}

const PLANTED = 'a defect is planted: this service is wrong on purpose';
const sendCounts = (counts: Counts) => sendToParent({ counts });

/** The name for a clean service that only counts requests. */
export const CONTROL = 'none';

/**
 * Plants a defect, or its variant of the seed `variants`. Throws a StartupError if no defect has the name. `send` gets
 * the counts whenever they change.
 */
export function plantDefect(name: string, variants?: number, send: (counts: Counts) => void = sendCounts): OpenFeature {
  const defect = [...defectsOf(variants), ...SANDBOX_DEFECTS].find((one) => one.name === name);
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
