/** The two files between the grader and the command: the tasks to do, and the report of what happened. NDJSON. */
import { type Json, parseJson } from '../../../src/contract/json.ts';
import { type NewPlant, StoredPlant } from '../../../src/contract/openapi.generated.ts';
import {
  array,
  integer,
  object,
  oneOf,
  optional,
  type Schema,
  type TypeOf,
  text,
} from '../../../src/contract/schema.ts';
import { decodeReport } from '../../util/decode-report.ts';
import { readReportFile } from '../report-file.ts';
import { OPERATIONS, pathOf, type Task } from './scenario.ts';
import type { Belief } from './verdict.ts';

/** A larger report is not read. */
const MAX_BYTES = 4_194_304;

export interface Target {
  /** The service, without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

/** One line per task, with a ready request. `etag` is the entity tag that the plant of a conditional request has. */
export function writeTasks(tasks: readonly Task[], { url, token }: Target, etag: string): string {
  const lines = tasks.map((task, i) => {
    const { method, body } = OPERATIONS[task.kind];
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(task.isConditional && { 'If-Match': etag }),
    };
    const request = { method, url: url + pathOf(task), headers, body: body?.write(task.plant) };
    return `${JSON.stringify({ task: i + 1, kind: task.kind, ...request })}\n`;
  });
  return lines.join('');
}

const anything: Schema<Json> = { rule: 'JSON', read: (value) => value, write: JSON.stringify };
/** A line of the report. Its other members are for readers. */
const Line = object({
  task: integer(1, Number.MAX_SAFE_INTEGER),
  status: optional(integer(100, 599)),
  body: optional(text({ rule: 'a string' })),
  belief: optional(oneOf('done', 'failed', 'unknown')),
  error: optional(anything),
  plants: optional(array(anything)),
});

/** What the report says about a task, and what is wrong with it. */
export interface Report {
  readonly belief: Belief;
  readonly problem: string | undefined;
}

/** Reads the last line for the task with this number. */
export function readReport(path: string, number: number, { kind }: Task): Report {
  const problems: string[] = [];
  const line = readLines(path, problems).findLast(({ task }) => task === number);
  if (line === undefined) problems.push(`the report has no line for task ${number}`);
  const { status, body, belief, error } = line ?? {};
  const plants = kind === 'list' ? readList(line?.plants) : readBody(body);
  const isMissing = belief === undefined && status === undefined && plants === undefined;
  const derived = believe(kind, status, body, plants);
  // Whoever gets an error beside a success cannot trust the success.
  const of = belief ?? (derived === 'done' && error ? 'unknown' : derived);
  return { belief: { of, plants, status, isMissing }, problem: problems[0] };
}

/** Leaves out lines that have a problem. */
function readLines(path: string, problems: string[]): readonly TypeOf<typeof Line>[] {
  let report: string;
  try {
    report = decodeReport(readReportFile(path, MAX_BYTES));
  } catch (error) {
    problems.push(`the report cannot be read: ${Error.isError(error) ? error.message : error}`);
    return [];
  }
  return report.split('\n').flatMap((text, i) => {
    // A line may end with CR LF.
    if (text.trim() === '') return [];
    const json = parseJson(Buffer.from(text));
    const errors = 'error' in json ? ['it is not valid JSON'] : [];
    const line = 'error' in json ? undefined : Line.read(json.value, json.written, '', errors);
    if (errors.length === 0 && line !== undefined) return [line];
    problems.push(`line ${i + 1} of the report: ${errors[0]}`);
    return [];
  });
}

/** The belief that follows from the final response. */
function believe(
  kind: Task['kind'],
  status: number | undefined,
  body: string | undefined,
  plants: Belief['plants'],
): Belief['of'] {
  if (status === undefined) return kind === 'list' && plants !== undefined ? 'done' : 'unknown';
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'unknown';
  if (status >= 300) return 'failed';
  if (kind === 'delete') return 'done';
  // A success counts only if the client has read the whole response.
  const isRead = kind === 'get' || kind === 'list' ? plants !== undefined : parse(body) !== undefined;
  return isRead ? 'done' : 'unknown';
}

function parse(body: string | undefined) {
  const json = body === undefined ? undefined : parseJson(Buffer.from(body));
  return json === undefined || 'error' in json ? undefined : json;
}

function readBody(body: string | undefined): Belief['plants'] {
  const json = parse(body);
  return json && readPlants([json.value], [json.written]);
}

/** Ids are texts, since many languages round large numbers. */
function readList(plants: readonly Json[] | undefined): Belief['plants'] {
  if (plants === undefined) return undefined;
  const written = plants.map((one) => ({ ...(one as object), id: String((one as { id?: Json } | null)?.id) }));
  return readPlants(
    written.map((one) => ({ ...one, id: Number(one.id) })),
    written,
  );
}

/** What is no plant is left out: the client has read it, but cannot have found its plant in it. */
function readPlants(values: readonly Json[], written: readonly (Json | undefined)[]): readonly NewPlant[] {
  return values.flatMap((value, i) => {
    const errors: string[] = [];
    const plant = StoredPlant.read(value, written[i], '', errors);
    return errors.length === 0 && plant !== undefined ? [plant] : [];
  });
}
