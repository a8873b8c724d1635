/** What each outcome means, in a sentence, for the command line, for pages and for the documentation. */
import type { Outcome } from './verdict.ts';

export const MEANINGS: Readonly<Record<Outcome | 'void', string>> = {
  verified: 'it stored each right message once, and refused each faulty message with 4xx',
  ignored: 'it answered a faulty message with 2xx, but did not store it',
  failed: 'it answered a faulty message with another status than 4xx, or not at all',
  lost: 'it did not store a right message, or never answered it with 2xx',
  crashed: 'its process ended',
  'processed twice': 'it stored a message more than once',
  'accepted a replay': 'it stored a message whose time was wrong or was changed',
  'accepted a forgery': 'it stored a message that nobody signed with the secret',
  void: 'it could not be reached, which is neither good nor bad',
};
