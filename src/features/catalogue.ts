/** The error catalogue: the numbers of the store's API and of every feature, as one table and as one closed type. */
import { type Catalogue, storeErrors } from '../errors.ts';
import { eventErrors } from './events/problems.ts';
import { sandboxErrors } from './sandbox/problems.ts';

/** Every error number with its text. The text of a feature's number names the feature. */
export const catalogue: Catalogue = {
  ...storeErrors,
  ...mark(sandboxErrors, 'sandboxes'),
  ...mark(eventErrors, 'events'),
};

declare module '../errors.ts' {
  interface Catalogue extends Readonly<Record<keyof typeof sandboxErrors | keyof typeof eventErrors, string>> {}
}

function mark<Errors extends Readonly<Record<number, string>>>(errors: Errors, feature: string) {
  const entries = Object.entries(errors).map(([code, text]) => [code, text.replace(/\.$/, ` (${feature} only).`)]);
  return Object.fromEntries(entries) as Record<keyof Errors, string>;
}
