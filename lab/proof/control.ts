/** Puts a control into a service. */
import { DEFECTS } from '../defects/index.ts';

/** Returns the environment of a service with a planted defect, or without one of its precautions (sabotage.ts). */
export function environmentOf(control: string | undefined): NodeJS.ProcessEnv {
  if (control === undefined) return {};
  if (DEFECTS.some(({ name }) => name === control)) return { PLANTSTORE_DEFECT: control };
  return { PROOF_CONTROL: control, NODE_OPTIONS: `--import ${import.meta.dirname}/sabotage.ts` };
}
