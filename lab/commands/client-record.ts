/** The outcomes of a client as a JSON file, which `grade client --json` writes and other commands read. */
import { readFileSync } from 'node:fs';
import { parseJson } from '../../src/contract/json.ts';
import { array, integer, object, oneOf, optional, type TypeOf, text } from '../../src/contract/schema.ts';
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
/** The members that other commands read. */
const Record = object({
  form: integer(FORM, FORM),
  plantStore: words,
  client: optional(words),
  command: array(words),
  attemptTimeout: count,
  outcomes: array(
    object({
      scenario: words,
      does: words,
      pair: optional(words),
      outcome: oneOf(...OUTCOMES, 'void'),
      reason: optional(words),
      conduct: object({ attempts: count }),
      problem: optional(words),
    }),
  ),
});

export type ClientRecord = TypeOf<typeof Record>;
export type RecordedRun = ClientRecord['outcomes'][number];

/** Throws a StartupError if the file is no record in a form that can be read. */
export function readClientRecord(path: string): ClientRecord {
  const json = readJson(path);
  const errors = json === undefined ? ['it is not valid JSON'] : [];
  const record = json && Record.read(json.value, json.written, '', errors);
  if (record !== undefined && errors.length === 0) return record;
  throw new StartupError(`${path} is not a result of plantstore grade client --json: ${errors[0]}`);
}

function readJson(path: string) {
  const json = parseJson(explainReadErrors(path, () => readFileSync(path)));
  return 'error' in json ? undefined : json;
}
