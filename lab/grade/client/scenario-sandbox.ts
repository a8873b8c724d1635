/** The sandbox of one scenario: made for it, read at its end, and deleted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../../../src/contract/json.ts';
import { NewPlant, StoredPlant } from '../../../src/contract/openapi.generated.ts';
import { array } from '../../../src/contract/schema.ts';
import { request } from '../own-service.ts';
import { OPERATIONS, type Scenario } from './scenario.ts';
import type { Target } from './task-files.ts';
import type { Attempt } from './verdict.ts';

/** How long requests that the client has left may take to end, in milliseconds, and how often they are looked for. */
const SETTLE_MS = 5_000;
const LOOK_MS = 25;
/** The pause between two plants of another writer, in milliseconds. */
const ADD_MS = 20;

/** A request in the record of the sandbox, with the members that are read. */
export interface Received {
  readonly number: number;
  readonly at: string;
  readonly method: string;
  readonly target: string;
  readonly body?: string;
  readonly status?: number;
  readonly milliseconds: number;
  readonly fault?: string;
  readonly response?: string;
}

/** What the service saw. */
export interface Seen {
  /** The requests for the task. */
  readonly attempts: readonly Attempt[];
  /** Every request, with those of other writers and of an earlier task. */
  readonly received: readonly Received[];
  /** Whether `received` has every request. The service keeps only the last ones. */
  readonly isWhole: boolean;
  /** The plants at the end. */
  readonly stored: readonly StoredPlant[];
  /** Whether each fault of the scenario has happened. */
  readonly hasMet: boolean;
}

export interface TestSandbox extends AsyncDisposable {
  readonly target: Target;
  /** The entity tag of the first plant at the start. */
  readonly etag: string;
  /** Adds plants as another writer, until `signal` aborts. */
  add(signal: AbortSignal): Promise<void>;
  /** Waits until no request is in progress. */
  read(): Promise<Seen>;
}

/** Creates a sandbox in which the scenario happens. Rejects with a StartupError if the service fails. */
export async function openSandbox(url: string, scenario: Scenario): Promise<TestSandbox> {
  const { plants, rules, added = [] } = scenario;
  let token = '';
  const send = (method: string, path: string, body?: string) => request(url, token, method, path, body);
  const read = async <Value>(path: string) => (await (await send('GET', path)).json()) as Value;
  const create = (plant: NewPlant) => send('POST', '/plants', NewPlant.write(plant));
  ({ token } = (await (await send('POST', '/sandboxes')).json()) as { readonly token: string });
  // One after another, so that a scenario with many plants does not slow the others down.
  for (const plant of plants) await create(plant);
  const [first] = plants;
  const { headers } = await send('GET', first === undefined ? '/plants' : `/plants/${first.id}`);
  const before = (await read<readonly Received[]>('/sandbox/requests')).at(-1)?.number ?? 0;
  await send('PUT', '/sandbox/faults', JSON.stringify(rules));
  return {
    target: { url, token },
    etag: headers.get('ETag') ?? '',
    async add(signal) {
      for (const plant of added) {
        if (signal.aborted) return;
        await create(plant);
        await sleep(ADD_MS);
      }
    },
    async read() {
      const until = performance.now() + SETTLE_MS;
      let received: readonly Received[] = [];
      do {
        await sleep(LOOK_MS);
        received = await read(`/sandbox/requests?after=${before}`);
      } while (received.some(({ response }) => response === 'pending') && performance.now() < until);
      const counts = await read<readonly { readonly applied: number }[]>('/sandbox/faults/counts');
      const json = parseJson(Buffer.from(await (await send('GET', '/sandbox/plants')).arrayBuffer()));
      if ('error' in json) throw new Error(`GET /sandbox/plants: ${json.error}`);
      const stored = array(StoredPlant).read(json.value, json.written, '', []) ?? [];
      const attempts = attemptsOf(scenario, received);
      const isWhole = received[0] === undefined || received[0].number === before + 1;
      return { attempts, received, isWhole, stored, hasMet: counts.every(({ applied }) => applied > 0) };
    },
    async [Symbol.asyncDispose]() {
      await send('DELETE', '/sandbox');
    },
  };
}

function attemptsOf({ task, retryAfter }: Scenario, received: readonly Received[]): readonly Attempt[] {
  const { method, path } = OPERATIONS[task.kind];
  // A client that rounds the id sends a request for another plant.
  const isOwn = (target: string) =>
    path.includes('{id}') ? target.startsWith('/plants/') : /^\/plants(?:\?|$)/.test(target);
  const own = received.filter((one) => one.method === method && isOwn(one.target));
  return own.map(({ at, milliseconds, status = 0, body, fault = '', response }) => ({
    begins: Date.parse(at),
    ends: Date.parse(at) + milliseconds,
    status,
    body,
    hasFault: fault !== '',
    isAbandoned: response === 'abandoned',
    isCarriedOut: (status > 0 && status < 300) || fault.includes(', after commit'),
    retryAfter: /^(?:status|proxy)/.test(fault) ? retryAfter : undefined,
  }));
}
