/** Planted defects: each makes the service wrong in one known way, and counts how often it is triggered. */
import { StartupError } from '../../src/errors.ts';
import type { OpenFeature } from '../../src/feature.ts';
import { API_NAMES, defectsOf } from './apis.ts';
import { type Counts, createCounter } from './counts.ts';
import type { Defect } from './defect.ts';
import { sendToParent } from './grader-channel.ts';
import { mysteryDefect } from './mysteries.ts';

export { API_NAMES, APIS, type ApiName, defectsOf, variantsOf } from './apis.ts';
export type { Counts } from './counts.ts';
export type { Defect, Tier } from './defect.ts';

/** The published defects of the store's API. */
export const DEFECTS = defectsOf('plants');

const PLANTED = 'a defect is planted: this service is wrong on purpose';
const sendCounts = (counts: Counts) => sendToParent({ counts });

/** The name for a clean service that only counts requests. */
export const CONTROL = 'none';

/**
 * Plants a defect, or its variant of the seed `variants`. Throws a StartupError if no defect has the name. `send` gets
 * the counts whenever they change.
 */
export function plantDefect(name: string, variants?: number, send: (counts: Counts) => void = sendCounts): OpenFeature {
  const all = API_NAMES.flatMap((api) => defectsOf(api, variants));
  const defect = all.find((one) => one.name === name);
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
