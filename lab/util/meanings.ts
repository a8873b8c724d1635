/**
 * The outcomes of clients and receivers, each list from the best outcome to the worst, and what an outcome means, as
 * Markdown. The command line needs them before it loads anything that grades.
 */

export const CLIENT_MEANINGS = {
  right:
    'the belief is true, and no repetition would help. ' +
    'Also: the belief is *unknown*, and no client could find out more',
  unknown:
    'the client honestly reports no success, but a careful repetition would have succeeded. This is not an error',
  disputed: 'opinions differ on what the client should believe',
  'wrong data': 'a plant that nobody wrote is stored or was read, or a stored plant was not found',
  ghost: 'the client believes that the request failed, but the service carried it out',
  lost: 'the client believes that the request succeeded, but the service did not carry it out',
  overwritten: 'a later change of another client is gone',
  void: 'the scenario did not happen to the client in three tries, which is neither good nor bad',
} as const;

export type ClientOutcome = Exclude<keyof typeof CLIENT_MEANINGS, 'void'>;

/** A crash also loses the messages that follow. */
export const RECEIVER_MEANINGS = {
  verified: 'it stored each right message once, and refused each wrong message with 4xx',
  ignored: 'it answered a wrong message with 2xx, but did not store it',
  failed: 'it answered a wrong message with another status than 4xx, or not at all',
  lost: 'it did not store a right message, or its last answer to this message was not 2xx',
  crashed: 'its process ended',
  'processed twice': 'it stored a message more than once',
  'accepted a replay': 'it stored a message whose time was wrong or was changed',
  'accepted a forgery': 'it stored a message that nobody signed with the secret',
  void: 'it could not be reached, which is neither good nor bad',
} as const;

export type ReceiverOutcome = Exclude<keyof typeof RECEIVER_MEANINGS, 'void'>;

const orderOf = <Outcome extends string>(meanings: Readonly<Record<Outcome, string>>) =>
  (Object.keys(meanings) as Outcome[]).filter((outcome): outcome is Exclude<Outcome, 'void'> => outcome !== 'void');

export const CLIENT_OUTCOMES: readonly ClientOutcome[] = orderOf(CLIENT_MEANINGS);
export const RECEIVER_OUTCOMES: readonly ReceiverOutcome[] = orderOf(RECEIVER_MEANINGS);
