import type { FaultKind } from '../fault-kind.ts';
import { OTHER } from '../other-client.ts';

/** Each kind of fault takes `other`. This kind does nothing else. */
export const race: FaultKind = {
  does:
    'the usual response, but another client changes the plant just before the operation. With afterCommit, it ' +
    'changes the plant just after the commit',
  example: { other: 'replace' },
  needs: { other: OTHER },
};
