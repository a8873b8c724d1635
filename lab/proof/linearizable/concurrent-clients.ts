/** Clients send requests that concern the same few plants, while the services that they use are killed. */
import type { Client } from '../../../test/harness/client.ts';

/** A request and its response, as the judge reads them. */
interface Operation {
  readonly Client: number;
  readonly ID: string;
  readonly Does: 'create' | 'get' | 'replace' | 'delete';
  readonly Content: string;
  readonly IfMatch: string;
  readonly Call: number;
  readonly Return: number;
  /** 0 if there was no response, or if the service did not know whether the request had its effect. */
  readonly Status: number;
  readonly Got: string;
  readonly ETag: string;
}

export interface Round {
  readonly ids: readonly number[];
  /** They take turns. Their services may be killed. */
  readonly clients: readonly Client[];
  /** How many requests have a response. */
  readonly requests: number;
  readonly random: () => number;
  /** Called after each request with the number of requests that have a response. */
  onProgress(done: number): void;
}

const CLIENTS = 16;
const METHODS = { create: 'POST', get: 'GET', replace: 'PUT', delete: 'DELETE' } as const;
const KINDS = ['create', 'create', 'get', 'get', 'get', 'replace', 'replace', 'replace', 'delete'] as const;
/** After the end of every round. */
const NEVER = 2 ** 52;

const isRefused = (error: unknown) => Error.isError(error) && 'code' in error && error.code === 'ECONNREFUSED';

/** Runs clients until they have their responses. Resolves to the history. */
export async function runRound({ ids, clients, requests, random, onProgress }: Round): Promise<readonly Operation[]> {
  const history: Operation[] = [];
  const below = (limit: number) => Math.floor(random() * limit);
  let clock = 0;
  let sent = 0;
  const run = async (number: number) => {
    /** The entity tags that this client saw last. */
    const tags = new Map<number, string>();
    while (history.length < requests) {
      const id = ids[below(ids.length)] ?? 0;
      const kind = KINDS[below(KINDS.length)] ?? 'get';
      const isWrite = kind === 'create' || kind === 'replace';
      // Few names for creates, so that some are repeated. A replace has a name that no other has.
      const name = kind === 'create' ? `created ${below(3)}` : kind === 'replace' ? `replaced ${sent}` : '';
      const tag = (kind === 'replace' || kind === 'delete') && below(4) > 0 ? (tags.get(id) ?? '') : '';
      const operation = { Client: number, ID: String(id), Does: kind, Content: name, IfMatch: tag, Call: ++clock };
      const body = isWrite ? { ...(kind === 'create' ? { id } : {}), name } : undefined;
      const headers = tag === '' ? {} : { 'If-Match': tag };
      const target = kind === 'create' ? '/plants' : `/plants/${id}`;
      const client = clients[sent++ % clients.length];
      if (client === undefined) throw new Error('a round needs a client');
      try {
        const response = await client.send(METHODS[kind], target, { body, headers });
        const isKnown = response.status < 500;
        // Nothing is known from a read that failed.
        if (!isKnown && kind === 'get') continue;
        const ETag = response.headers.etag ?? '';
        if (ETag !== '') tags.set(id, ETag);
        const Got = kind === 'get' && response.status === 200 ? (response.json() as { name: string }).name : '';
        const Status = isKnown ? response.status : 0;
        history.push({ ...operation, Status, Got, ETag, Return: isKnown ? ++clock : NEVER });
      } catch (error) {
        if (Error.isError(error) && error.name === 'AssertionError') throw error;
        // A write without a response may have its effect at any later moment.
        if (kind !== 'get' && !isRefused(error))
          history.push({ ...operation, Status: 0, Got: '', ETag: '', Return: NEVER });
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      onProgress(history.length);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => run(number)));
  return history;
}
