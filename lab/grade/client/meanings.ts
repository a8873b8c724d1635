/** What each outcome means, in a sentence, for the command line, for pages and for the documentation. */
import type { Outcome } from './verdict.ts';

/** As Markdown. */
export const MEANINGS: Readonly<Record<Outcome | 'void', string>> = {
  right:
    'the belief is true, and no repetition would help. ' +
    'Also: the belief is *unknown*, and no client could find out more',
  unknown:
    'the client reports the belief *unknown* or a true failure, but a careful repetition would have succeeded. ' +
    'This is not an error',
  disputed: 'opinions differ on what the client should believe',
  'wrong data': 'a plant that nobody wrote is stored or was read, or a stored plant was not found',
  ghost: 'the client believes that the request failed, but the service carried it out',
  lost: 'the client believes that the request succeeded, but the service did not carry it out',
  overwritten: 'a later change of another client is gone',
  void: 'the scenario did not happen to the client in three tries, which is neither good nor bad',
};
