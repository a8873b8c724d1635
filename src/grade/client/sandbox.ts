/** The sandbox of one scenario: made for it, read at its end, and deleted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../../contract/json.ts';
import { array } from '../../contract/schema.ts';
import { NewPlant, StoredPlant } from '../../description/openapi.generated.ts';
import type { Target } from './protocol.ts';
import type { Scenario, Task } from './scenario.ts';
import type { Attempt } from './verdict.ts';

/** How long requests that the client has left may take to end, in milliseconds, and how often they are looked for. */
const SETTLE_MS = 5_000;
const LOOK_MS = 25;
/** The pause between two plants of another writer, in milliseconds. */
const ADD_MS = 20;

/** A request in the record of the sandbox, with the members that are read. */
interface Received {
  readonly at: string;
  readonly method: string;
  readonly target: string;
  readonly body?: string;
  readonly status?: number;
  readonly milliseconds: number;
  readonly fault?: string;
  readonly response?: string;
}

export interface TestSandbox extends AsyncDisposable {
  readonly target: Target;
  etagOf(id: bigint): string | undefined;
  /** Adds plants as another writer, until `signal` aborts. */
  add(signal: AbortSignal): Promise<void>;
  /** Waits until no request is in progress. Resolves to the requests for the task, and to the plants that are stored. */
  read(task: Task): Promise<{ readonly attempts: readonly Attempt[]; readonly stored: readonly StoredPlant[] }>;
}

/** Creates a sandbox in which the scenario happens. Throws an Error if the service refuses a rule or a plant. */
export async function openSandbox(url: string, scenario: Scenario): Promise<TestSandbox> {
  const { plants, rules, added = [] } = scenario;
  const send = async (method: string, path: string, token = '', body?: string): Promise<Response> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
    if (response.ok) return response;
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  const created = await send('POST', '/sandboxes');
  const { token } = (await created.json()) as { readonly token: string };
  const etags = new Map<bigint, string>();
  const add = (plant: NewPlant) => send('POST', '/plants', token, NewPlant.write(plant));
  await Promise.all(plants.map(add));
  for (const { id } of plants.slice(0, 1)) {
    const response = await send('GET', `/plants/${id}`, token);
    etags.set(id, response.headers.get('ETag') ?? '');
  }
  await send('DELETE', '/sandbox/requests', token);
  await send('PUT', '/sandbox/faults', token, JSON.stringify(rules));
  return {
    target: { url, token },
    etagOf: (id) => etags.get(id),
    async add(signal) {
      for (const plant of added) {
        if (signal.aborted) return;
        await add(plant);
        await sleep(ADD_MS);
      }
    },
    async read(task) {
      const until = performance.now() + SETTLE_MS;
      let received: readonly Received[] = [];
      do {
        await sleep(LOOK_MS);
        received = (await (await send('GET', '/sandbox/requests', token)).json()) as readonly Received[];
      } while (received.some(isInProgress) && performance.now() < until);
      const json = parseJson(Buffer.from(await (await send('GET', '/sandbox/plants', token)).arrayBuffer()));
      if ('error' in json) throw new Error(`GET /sandbox/plants: ${json.error}`);
      const stored = array(StoredPlant).read(json.value, json.written, '', []) ?? [];
      return { attempts: received.filter((one) => isFor(task, one)).map((one) => attemptOf(one, scenario)), stored };
    },
    async [Symbol.asyncDispose]() {
      await send('DELETE', '/sandbox', token);
    },
  };
}

const isInProgress = ({ response }: Received) => response === 'pending';

const METHODS = { create: 'POST', replace: 'PUT', delete: 'DELETE', get: 'GET', list: 'GET' } as const;

function isFor({ kind, plant }: Task, { method, target }: Received): boolean {
  const [path] = target.split('?');
  return (
    method === METHODS[kind] && path === (kind === 'create' || kind === 'list' ? '/plants' : `/plants/${plant.id}`)
  );
}

function attemptOf({ at, milliseconds, status = 0, body, fault = '' }: Received, { retryAfter }: Scenario): Attempt {
  const begins = Date.parse(at);
  return {
    begins,
    ends: begins + milliseconds,
    status,
    body,
    isCarriedOut: (status > 0 && status < 300) || fault.includes(', after commit'),
    retryAfter: /^(?:status|proxy)/.test(fault) ? retryAfter : undefined,
  };
}
