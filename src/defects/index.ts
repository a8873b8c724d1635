/** Planted defects: each makes the service wrong in one known way, and counts how often it is triggered. */
import { StartupError } from '../errors.ts';
import type { OpenFeature } from '../feature.ts';
import { sendToParent } from '../parent.ts';
import { type Counts, createCounter } from './counts.ts';
import { credentialDefects } from './credentials.ts';
import type { Defect, Tier, TierDefect } from './defect.ts';
import { inputDefects } from './input.ts';
import { mysteryDefect } from './mysteries.ts';
import { protocolDefects } from './protocol.ts';
import { schemaDefects } from './schema.ts';
import { stateDefects } from './state.ts';

export type { Counts } from './counts.ts';
export type { Defect, Tier } from './defect.ts';

const ofTier = (tier: Tier, defects: readonly TierDefect[]): readonly Defect[] =>
  defects.map((one) => ({ ...one, tier, ruleIn: one.breaks.startsWith('#/') ? 'schema' : 'prose' }));

export const DEFECTS: readonly Defect[] = [
  ...ofTier('schema', schemaDefects),
  ...ofTier('input', inputDefects),
  ...ofTier('credentials', credentialDefects),
  ...ofTier('state', stateDefects),
  ...ofTier('protocol', protocolDefects),
];

const PLANTED = 'a defect is planted: this service is wrong on purpose';
const sendCounts = (counts: Counts) => sendToParent({ counts });

/** The name for a clean service that only counts requests. */
export const CONTROL = 'none';

/** Throws a StartupError if no defect has the name. `send` gets the counts whenever they change. */
export function plantDefect(name: string, send: (counts: Counts) => void = sendCounts): OpenFeature {
  const defect = DEFECTS.find((one) => one.name === name);
  if (defect === undefined && name !== CONTROL) throw new StartupError(`there is no defect ${name}`);
  return ({ log }) => {
    if (defect !== undefined) log.warn({ defect: name }, PLANTED);
    const { observe, count } = createCounter(defect?.operation ?? CONTROL, send);
    return { ...defect?.plant(count), observers: [observe] };
  };
}

/** Plants the defect of a mystery, and tells nobody which one it is. */
export function plantMystery(number: number): OpenFeature {
  const { plant } = defectOf(number);
  return ({ log }) => {
    log.warn({ mystery: number }, PLANTED);
    return plant(() => undefined);
  };
}

/** The defect of a mystery. */
export function defectOf(number: number): Defect {
  const name = mysteryDefect(number);
  const defect = DEFECTS.find((one) => one.name === name);
  if (defect === undefined) throw new Error(`the mystery ${number} names no defect: ${name}`);
  return defect;
}
