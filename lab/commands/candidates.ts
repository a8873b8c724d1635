/** The kinds of programs that are graded scenario by scenario. This file loads nothing that runs a grading. */
import {
  CLIENT_MEANINGS,
  CLIENT_OUTCOMES,
  type ClientOutcome,
  RECEIVER_MEANINGS,
  RECEIVER_OUTCOMES,
  type ReceiverOutcome,
} from '../util/meanings.ts';
import type { Colour } from './matrix-page.ts';

export interface Candidate {
  readonly name: 'client' | 'receiver';
  /** From the best outcome to the worst. An outcome can also be void. */
  readonly outcomes: readonly string[];
  /** What each outcome means, as Markdown. */
  readonly meanings: Readonly<Record<string, string>>;
  readonly colours: Readonly<Record<string, Colour>>;
  /** Whether only the best outcome is good enough, unless the user demands otherwise. */
  readonly isStrict: boolean;
  /** The placeholders of its command. */
  readonly placeholders: readonly string[];
  /** What the service saw of a scenario, for the text. */
  readonly view: string;
  /** The heading of a page about several candidates, or about the one with this title. */
  heading(title: string | undefined): string;
  /** Explains a cell of the page. */
  readonly legend: string;
}

export const CLIENT: Candidate = {
  name: 'client',
  outcomes: CLIENT_OUTCOMES,
  meanings: CLIENT_MEANINGS,
  colours: {
    right: 'good',
    unknown: 'none',
    disputed: 'fair',
    'wrong data': 'bad',
    ghost: 'bad',
    lost: 'bad',
    overwritten: 'bad',
    void: 'none',
  } satisfies Record<ClientOutcome | 'void', Colour>,
  isStrict: false,
  placeholders: ['tasks', 'report', 'timeoutMs', 'url', 'token', 'cwd'],
  view: 'what the service saw',
  heading: (title) => `What ${title ?? 'HTTP clients'} ${title === undefined ? 'do' : 'does'} to your data`,
  legend:
    'The client did its tasks while things went wrong. A cell has the outcome and the number of requests that the ' +
    'service received. The outcome compares what the client believes with what the store holds.',
};

export const RECEIVER: Candidate = {
  name: 'receiver',
  outcomes: RECEIVER_OUTCOMES,
  meanings: RECEIVER_MEANINGS,
  colours: {
    verified: 'good',
    ignored: 'fair',
    failed: 'fair',
    lost: 'bad',
    crashed: 'bad',
    'processed twice': 'bad',
    'accepted a replay': 'bad',
    'accepted a forgery': 'bad',
    void: 'none',
  } satisfies Record<ReceiverOutcome | 'void', Colour>,
  isStrict: true,
  placeholders: ['port', 'secret', 'report', 'url', 'cwd'],
  view: 'what was sent and answered',
  heading: (title) => (title === undefined ? 'Which messages receivers believe' : `Which messages ${title} believes`),
  legend:
    'The receiver got right, repeated and wrong messages of webhooks. A cell has the outcome and the statuses that ' +
    'the receiver answered. The outcome compares what the receiver stored with what it should have stored.',
};

export const candidateOf = ({ kind = 'client' }: { readonly kind?: Candidate['name'] | undefined }): Candidate =>
  kind === 'client' ? CLIENT : RECEIVER;

export const colourOf = ({ colours }: Candidate, outcome: string): Colour => colours[outcome] ?? 'none';

/** The meaning as plain text. */
export const meaningOf = ({ meanings }: Candidate, outcome: string): string =>
  (meanings[outcome] ?? '').replaceAll('*', '"');

/** Where every service explains the outcomes, and how to repair the candidate. The package contains no other pages. */
export const pageOf = ({ name }: Candidate): string => `/guide/grade-${name}`;
