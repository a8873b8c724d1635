/** The outcomes of a client as a JSON file, which `grade client --json` writes and other commands read. */
import { readFileSync } from 'node:fs';
import { parseJson } from '../../src/contract/json.ts';
import { array, integer, object, oneOf, optional, type Schema, type TypeOf, text } from '../../src/contract/schema.ts';
import { StartupError } from '../../src/errors.ts';
import { explainReadErrors } from '../../src/util/new-file.ts';
import { version } from '../../src/util/version.generated.ts';
import type { ClientGrading, ClientRun } from '../grade/client/client-run.ts';
import { OUTCOMES } from '../grade/client/verdict.ts';
import { recordText } from './record-text.ts';

/** The version of the form of the record. */
const FORM = 1;
/** Every record begins with it. */
export const RECORD_BEGINNING = '{\n  "form": ';

export function clientRecord(
  grading: ClientGrading,
  runs: readonly ClientRun[],
  description: string | undefined,
): string {
  const { command, attemptTimeout, timeout, jobs } = grading;
  const outcomes = runs.map(({ scenario: { name, does, pair }, ...run }) => ({ scenario: name, does, pair, ...run }));
  const record = { form: FORM, plantStore: version, client: description, command, attemptTimeout, timeout, jobs };
  return recordText({ ...record, outcomes });
}

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
const Record = object({
  form: integer(FORM, FORM),
  plantStore: words,
  client: optional(words),
  command: array(words),
  attemptTimeout: count,
  timeout: count,
  jobs: count,
  outcomes: array(
    object({
      scenario: words,
      does: words,
      pair: optional(words),
      outcome: oneOf(...OUTCOMES, 'void'),
      reason: optional(words),
      conduct: object({ attempts: count, early: count, repeatedFinal: count, hasChangedBody: flag }),
      problem: optional(words),
    }),
  ),
});

export type ClientRecord = TypeOf<typeof Record>;
export type RecordedRun = ClientRecord['outcomes'][number];

/** The description of the client, or its command. */
export const titleOfClient = ({ client, command }: ClientRecord): string => client ?? command.join(' ');

/** Throws a StartupError if the file is no record in a form that can be read. */
export const readClientRecord = (path: string): ClientRecord =>
  parseClientRecord(
    path,
    explainReadErrors(path, () => readFileSync(path)),
  );

/** The record in the bytes of a file. Throws a StartupError if they are no record in a form that can be read. */
export function parseClientRecord(path: string, bytes: Buffer): ClientRecord {
  const json = parseJson(bytes);
  const errors = 'error' in json ? ['it is not valid JSON'] : [];
  const record = 'error' in json ? undefined : Record.read(json.value, json.written, '', errors);
  if (record !== undefined && errors.length === 0) return record;
  throw new StartupError(`${path} is not a result of plantstore grade client --json: ${errors[0]}`);
}
