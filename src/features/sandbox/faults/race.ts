import type { FaultKind } from '../fault-kind.ts';
import { OTHER } from '../other-client.ts';

/** Each kind of fault takes `other`. This kind does nothing else. */
export const race: FaultKind = {
  does: 'the usual response, but another client has changed the plant just before',
  example: { other: 'replace' },
  needs: { other: OTHER },
};
