/** The two files between the grader and the command: the tasks to do, and the report of what happened. NDJSON. */
import { readFileSync, statSync } from 'node:fs';
import { type Json, parseJson } from '../../contract/json.ts';
import { StoredPlant } from '../../description/openapi.generated.ts';
import { OPERATIONS, pathOf, type Task } from './scenario.ts';
import type { Belief } from './verdict.ts';

/** A larger report is not read. */
const MOST_BYTES = 4_194_304;

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

/** A line of the report, as far as its members have the right types. */
interface Line {
  readonly task?: unknown;
  readonly status?: unknown;
  readonly body?: unknown;
  readonly belief?: unknown;
  readonly plants?: unknown;
}

/** Reads the belief about the task with this number. Throws an Error if a line is not JSON. */
export function readBelief(path: string, number: number, { kind }: Task): Belief {
  if (statSync(path).size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const line = lines.map((text) => JSON.parse(text) as Line).findLast(({ task }) => task === number) ?? {};
  const { belief, body } = line;
  const status = typeof line.status === 'number' ? line.status : undefined;
  const plants = kind === 'list' ? readList(line.plants) : readBody(body);
  const isOwn = belief === 'done' || belief === 'failed' || belief === 'unknown';
  const isMissing = !isOwn && status === undefined && plants === undefined;
  return { of: isOwn ? belief : believe(kind, status, body, plants), plants, status, isMissing };
}

/** The belief that follows from the final response. */
function believe(kind: Task['kind'], status: number | undefined, body: unknown, plants: Belief['plants']) {
  if (status === undefined) return kind === 'list' && plants !== undefined ? 'done' : 'unknown';
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'unknown';
  if (status >= 300) return 'failed';
  if (kind === 'delete') return 'done';
  // A success counts only if the client has read the whole response.
  const isRead = kind === 'get' || kind === 'list' ? plants !== undefined : parse(body) !== undefined;
  return isRead ? 'done' : 'unknown';
}

function parse(body: unknown) {
  const json = typeof body === 'string' ? parseJson(Buffer.from(body)) : undefined;
  return json === undefined || 'error' in json ? undefined : json;
}

function readBody(body: unknown): Belief['plants'] {
  const json = parse(body);
  return json && readPlants([json.value], [json.written]);
}

/** Ids are texts, since many languages round large numbers. */
function readList(plants: unknown): Belief['plants'] {
  if (!Array.isArray(plants)) return undefined;
  const written = plants.map((one: Record<string, Json> | null) => ({ ...one, id: String(one?.['id']) }));
  return readPlants(
    written.map((one) => ({ ...one, id: Number(one.id) })),
    written,
  );
}

function readPlants(values: readonly Json[], written: readonly (Json | undefined)[]): Belief['plants'] {
  const errors: string[] = [];
  const plants = values.map((value, i) => StoredPlant.read(value, written[i], '', errors));
  return errors.length > 0 ? undefined : plants.filter((plant) => plant !== undefined);
}
