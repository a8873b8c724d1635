/** Reads the report of Schemathesis 4 (`--report ndjson`): each failed check is a finding. */
import type { Finding } from './finding.ts';
import { normalise } from './normalise.ts';
import type { Vocabulary } from './vocabulary.ts';

/** An event, with the members that are read. */
interface Event {
  readonly recorder?: {
    readonly label?: string;
    readonly cases?: Readonly<Record<string, { readonly value?: { readonly method: string; readonly path: string } }>>;
    readonly checks?: Readonly<Record<string, readonly Check[]>>;
    readonly interactions?: Readonly<Record<string, { readonly response?: { readonly status_code: number } | null }>>;
  };
  readonly label?: string;
  readonly status?: string;
  readonly value?: { readonly type: string; readonly message: string };
  readonly exception?: { readonly type: string; readonly message: string };
}

interface Check {
  readonly name: string;
  readonly status?: string;
  readonly failure_info?: {
    readonly failure: { readonly operation: string | null; readonly type: string; readonly message: string };
  } | null;
}

/** The fault categories of failures, as the WFC report of Schemathesis has them. */
const CLASSES: Readonly<Record<number, string>> = {
  100: 'ServerError',
  110: 'UnsupportedMethodResponse',
  113: 'UseAfterFree',
  122: 'EnsureResourceAvailability',
  200:
    'JsonSchemaError MalformedJson MalformedMediaType UndefinedStatusCode ' +
    'UndefinedContentType MissingContentType MissingHeaders',
  201: 'AllowHeaderMismatch',
  206: 'AcceptedNegativeData MissingHeaderNotRejected',
  207: 'RejectedPositiveData',
  311: 'IgnoredAuth',
  312: 'ResponseTimeExceeded',
};
const CODES = new Map(
  Object.entries(CLASSES).flatMap(([code, types]) => types.split(' ').map((type) => [type, Number(code)])),
);

/** The first event of every report, and the events that are read. */
const EVENT = /^[ \t]*\{[ \t]*"(Initialize|(Fuzz)?ScenarioFinished|(Non)?FatalError)"[ \t]*:/m;

/** Reads one event per line. If the run was cut off, the last line may be incomplete. */
export function readSchemathesis(report: string, vocabulary: Vocabulary): readonly Finding[] {
  if (!EVENT.test(report)) throw new Error('it has no event of Schemathesis');
  const events = report.split('\n').flatMap((line, i, lines) => {
    if (line === '') return [];
    try {
      return Object.values(JSON.parse(line) as Record<string, Event>);
    } catch (error) {
      if (i > 0 && i === lines.length - 1) return [];
      throw error;
    }
  });
  const found = events.flatMap((event) => findingsOf(event, vocabulary));
  if (found.length > 0) return found;
  return events.flatMap(({ status, label = '' }) => {
    const text = [normalise(label, vocabulary.words, true), 'failed'].filter(Boolean).join(' | ');
    return isFailed(status) ? [{ text, operation: vocabulary.operationIn(label) }] : [];
  });
}

const isFailed = (status: string | undefined) => status === 'failure' || status === 'error';

function findingsOf({ recorder, label = '', value, exception }: Event, vocabulary: Vocabulary): readonly Finding[] {
  const { operationIn } = vocabulary;
  const make = (operation: string, kind: readonly string[], message: string, code?: number, sent = ''): Finding => {
    const text = normalise(beginningOf(message), vocabulary.words);
    const parts = [normalise(operation, vocabulary.words, true), ...kind, text].filter(Boolean);
    return { text: parts.join(' | '), operation: operationIn(sent) ?? operationIn(operation), code };
  };
  const error = value?.type === undefined ? exception : value;
  const errors = error === undefined ? [] : [make(label, [error.type], error.message)];
  const failures = Object.entries(recorder?.checks ?? {}).flatMap(([id, checks]) => {
    const { method, path } = recorder?.cases?.[id]?.value ?? {};
    // A failure after a deletion is labelled with the deletion, although another request got the wrong response.
    const sent = `${method} ${path}`;
    const status = recorder?.interactions?.[id]?.response?.status_code;
    return checks.flatMap(({ name, status: verdict, failure_info }) => {
      if (!failure_info)
        return isFailed(verdict) ? [make(recorder?.label ?? label, [name, 'failed'], '', undefined, sent)] : [];
      const { operation, type, message } = failure_info.failure;
      return [make(operation ?? '', [name, type, String(status ?? '')], message, CODES.get(type), sent)];
    });
  });
  return [...errors, ...failures];
}

/** The first paragraph without its hint. The rest is the schema, the response, and random data in the hint. */
function beginningOf(message: string): string {
  return message.trim().split(/\n\s*\n|\nHint: /)[0] ?? '';
}
