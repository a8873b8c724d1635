/** The file with what was sent in a scenario, by the service and by the lab, and what the receiver made of it. */

import type { ReceiverOutcome } from '../../util/meanings.ts';
import type { Scenario } from './scenarios.ts';
import type { Attempt } from './test-webhook.ts';
import type { Sent } from './verdict.ts';

/** The most characters of a body. One scenario sends 16 MiB. */
const MAX_BODY = 4_096;

/** JSON for people. `sent`: the messages of the service and of the lab, each with its outcome. */
export function serviceView(
  { name, does }: Scenario,
  attempts: readonly Attempt[],
  sent: readonly (Sent & { readonly outcome: ReceiverOutcome })[],
  stored: readonly string[],
): string {
  const messages = sent.map(({ right, message, answers, outcome, ids }) => ({
    ...(message === undefined
      ? { from: 'the service', id: ids[0] }
      : { from: 'the grader', headers: message.headers, body: message.body.slice(0, MAX_BODY) }),
    right: right === 'stored' || right === 'acknowledged' ? right : 'refused',
    // JSON has no undefined.
    answers: answers.map((answer) => answer ?? null),
    outcome,
  }));
  return `${JSON.stringify({ scenario: name, does, messages, attempts, stored }, undefined, 2)}\n`;
}
