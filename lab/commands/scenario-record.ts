/** The outcomes of a client or a receiver as a JSON file, which `--json` writes and other commands read. */
import { parseJson } from '../../src/contract/json.ts';
import { array, integer, object, oneOf, optional, type Schema, type TypeOf, text } from '../../src/contract/schema.ts';
import { StartupError } from '../../src/errors.ts';
import { version } from '../../src/util/version.generated.ts';
import type { ScenarioGrading } from '../grade/scenario-runs.ts';
import { type Candidate, CLIENT, candidateOf } from './candidates.ts';
import { recordText } from './record-text.ts';
import { readResultText } from './result-file.ts';

/** The version of the form of the record. */
const FORM = 1;
/** Every record begins with it. */
export const RECORD_BEGINNING = '{\n  "form": ';

const count = integer(0, 1_000_000_000);
const words = text({ rule: 'a text' });
const flag: Schema<boolean> = {
  rule: 'true or false',
  read(value, _, at, errors) {
    if (typeof value === 'boolean') return value;
    errors.push(`${at} must be ${flag.rule}`);
    return undefined;
  },
  write: String,
};

/** The members that other commands read. */
const schemaOf = ({ outcomes }: Candidate) =>
  object({
    form: integer(FORM, FORM),
    /** Absent in the record of a client that an earlier version wrote. */
    kind: optional(oneOf('client', 'receiver')),
    plantStore: words,
    /** Name, version and configuration. */
    client: optional(words),
    receiver: optional(words),
    command: array(words),
    attemptTimeout: optional(count),
    path: optional(words),
    timeout: count,
    jobs: count,
    outcomes: array(
      object({
        scenario: words,
        does: words,
        pair: optional(words),
        outcome: oneOf<string>(...outcomes, 'void'),
        reason: optional(words),
        /** Only of clients. */
        conduct: optional(object({ attempts: count, early: count, repeatedFinal: count, hasChangedBody: flag })),
        problem: optional(words),
      }),
    ),
  });

export type ScenarioRecord = TypeOf<ReturnType<typeof schemaOf>>;
export type RecordedRun = ScenarioRecord['outcomes'][number];

/** A run of a grading. Its other members are the same as in the record. */
export interface GradedRun extends Omit<RecordedRun, 'scenario' | 'does' | 'pair' | 'reason' | 'problem'> {
  readonly scenario: { readonly name: string; readonly does: string; readonly pair?: string };
  readonly reason?: string | undefined;
  readonly problem?: string | undefined;
}

export const recorded = ({ scenario: { name, does, pair }, reason, problem, ...run }: GradedRun): RecordedRun => ({
  scenario: name,
  does,
  ...(pair !== undefined && { pair }),
  ...run,
  ...(reason !== undefined && { reason }),
  ...(problem !== undefined && { problem }),
});

/** The record of a grading, and its text. */
export function recordOf(
  { name }: Candidate,
  { scenarios: _, output: __, command, ...options }: ScenarioGrading<unknown>,
  outcomes: readonly RecordedRun[],
  description: string | undefined,
): ScenarioRecord & { readonly text: string } {
  const head = {
    form: FORM,
    kind: name,
    plantStore: version,
    ...(description !== undefined && { [name]: description }),
  };
  const record = { ...head, command, ...options, outcomes };
  return { ...record, text: recordText(record) };
}

/** The description of the candidate, or its command. */
export const titleOf = ({ client, receiver = client, command }: ScenarioRecord): string =>
  receiver ?? command.join(' ');

/** Throws a StartupError if the file is no record of such a candidate in a form that can be read. */
export function readRecord(path: string, candidate: Candidate): ScenarioRecord {
  const record = parseRecord(path, readResultText(path), candidate);
  if (candidateOf(record) === candidate) return record;
  throw new StartupError(`${path} is a result of a ${candidateOf(record).name}, not of a ${candidate.name}`);
}

/** The record in the text of a file. Throws a StartupError if it is no record in a form that can be read. */
export function parseRecord(path: string, text: string, expected = CLIENT): ScenarioRecord {
  const json = parseJson(Buffer.from(text));
  const errors = 'error' in json ? ['it is not valid JSON'] : [];
  const kind = 'error' in json ? undefined : Kind.read(json.value, json.written, '', [])?.kind;
  const candidate = kind === undefined ? expected : candidateOf({ kind });
  const record = 'error' in json ? undefined : schemaOf(candidate).read(json.value, json.written, '', errors);
  if (record !== undefined && errors.length === 0) return record;
  throw new StartupError(`${path} is not a result of plantstore grade ${candidate.name} --json: ${errors[0]}`);
}

const Kind = object({ kind: optional(oneOf('client', 'receiver')) });
