/** The two files between the grader and the command: the tasks to do, and the report of what happened. NDJSON. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { type Json, parseJson } from '../../contract/json.ts';
import { NewPlant, Plant, StoredPlant } from '../../description/openapi.generated.ts';
import type { Task } from './scenario.ts';
import type { Belief } from './verdict.ts';

/** A larger report is not read. */
const MOST_BYTES = 4_194_304;

export interface Target {
  /** The service, without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

const REQUESTS = {
  create: ({ plant }: Task) => ({ method: 'POST', path: '/plants', body: NewPlant.write(plant) }),
  replace: ({ plant }: Task) => ({ method: 'PUT', path: `/plants/${plant.id}`, body: Plant.write(plant) }),
  delete: ({ plant }: Task) => ({ method: 'DELETE', path: `/plants/${plant.id}`, body: undefined }),
  get: ({ plant }: Task) => ({ method: 'GET', path: `/plants/${plant.id}`, body: undefined }),
  list: (_: Task) => ({ method: 'GET', path: '/plants', body: undefined }),
} as const;

/** One line per task, with a ready request. `etagOf` returns the entity tag of a plant at the start. */
export function writeTasks(
  tasks: readonly Task[],
  { url, token }: Target,
  etagOf: (id: bigint) => string | undefined,
): string {
  const lines = tasks.map((task, i) => {
    const { method, path, body } = REQUESTS[task.kind](task);
    const etag = task.isConditional ? etagOf(task.plant.id) : undefined;
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(etag !== undefined && { 'If-Match': etag }),
    };
    return JSON.stringify({ task: i + 1, kind: task.kind, method, url: url + path, headers, ...(body && { body }) });
  });
  return `${lines.join('\n')}\n`;
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
export function readBelief(path: string, number: number, task: Task): Belief {
  const nothing = { of: 'unknown', plants: undefined, status: undefined } as const;
  if (!existsSync(path)) return nothing;
  if (statSync(path).size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const line = lines.map((text) => JSON.parse(text) as Line).findLast((one) => one.task === number);
  if (line === undefined) return nothing;
  const status = typeof line.status === 'number' ? line.status : undefined;
  const plants = task.kind === 'list' ? readList(line.plants) : readBody(line.body);
  if (line.belief === 'done' || line.belief === 'failed' || line.belief === 'unknown') {
    return { of: line.belief, plants, status };
  }
  if (status === undefined)
    return plants !== undefined && task.kind === 'list' ? { of: 'done', plants, status } : nothing;
  if (status < 300) return { of: isParsed(task, line.body, plants) ? 'done' : 'unknown', plants, status };
  return {
    of: status < 500 && status !== 408 && status !== 425 && status !== 429 ? 'failed' : 'unknown',
    plants,
    status,
  };
}

/** Whether the client has read the whole response of a success. */
function isParsed({ kind }: Task, body: unknown, plants: Belief['plants']): boolean {
  if (kind === 'delete') return true;
  if (kind === 'get' || kind === 'list') return plants !== undefined;
  return typeof body === 'string' && !('error' in parseJson(Buffer.from(body)));
}

function readBody(body: unknown): readonly StoredPlant[] | undefined {
  if (typeof body !== 'string') return undefined;
  const json = parseJson(Buffer.from(body));
  return 'error' in json
    ? undefined
    : readPlants([json.value], json.written === undefined ? undefined : [json.written]);
}

/** Ids are texts, since many languages round large numbers. */
function readList(plants: unknown): readonly StoredPlant[] | undefined {
  if (!Array.isArray(plants)) return undefined;
  const written = plants.map((one: Record<string, Json> | null) => ({ ...one, id: String(one?.['id']) }));
  return readPlants(
    written.map((one) => ({ ...one, id: Number(one.id) })),
    written,
  );
}

function readPlants(values: readonly Json[], written: readonly Json[] | undefined): readonly StoredPlant[] | undefined {
  const errors: string[] = [];
  const plants = values.map((value, i) => StoredPlant.read(value, written?.[i], '', errors));
  return errors.length > 0 ? undefined : plants.filter((plant) => plant !== undefined);
}
