/** Records in memory the requests that each sandbox received, for its user. The record shows no credentials. */
import { LRUCache } from 'lru-cache';
import type { Exchange, Finishable } from '../../../http/exchange.ts';
import type { Response } from '../../../http/response.ts';
import type { ReceivedRequest } from '../sandbox.generated.ts';
import { type SandboxCredential, sandboxCredentialOf } from '../sandbox-credential.ts';
import { KeptRequest } from './kept-request.ts';

/** The most bytes of all logs. Beyond them the least recently used logs are deleted. */
const MAX_BYTES = 33_554_432;
/** The most requests and bytes of a log. Beyond them its oldest requests are deleted. */
const MAX_REQUESTS = 100;
const MAX_LOG_BYTES = 131_072;
/** The approximate bytes that a log takes besides its requests. */
const LOG = 512;

/** The last requests that a sandbox received. */
interface RequestLog {
  /** Each request is at its number modulo MAX_REQUESTS, so that it replaces the oldest. */
  readonly requests: (KeptRequest | undefined)[];
  /** The number of the last request. */
  readonly number: number;
  /** The approximate bytes that the log takes. */
  readonly size: number;
}

export interface Recorder {
  /**
   * Records a request that has just arrived. It is pending until it gets its response or its client leaves.
   */
  begin(credential: SandboxCredential, exchange: Exchange): void;
  /** Records that the client has left. Ignores a request that has its response. */
  abandon(credential: SandboxCredential): void;
  /** Records the response. Ignores a request that did not begin. */
  end(exchange: Finishable, response: Response): void;
  /** The requests with a higher number, oldest first. `id`: the sandbox's. */
  list(id: string, after: number): readonly ReceivedRequest[];
  /** Deletes the requests of a sandbox. The numbers of later requests continue. */
  clear(id: string): void;
}

export function createRecorder(now: () => number): Recorder {
  /** The highest number in a deleted log. New logs begin after it, so that no sandbox gets a number twice. */
  let reached = 0;
  const logs = new LRUCache<string, RequestLog>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ size }) => size,
    noDisposeOnSet: true,
    dispose({ number }) {
      reached = Math.max(reached, number);
    },
  });

  /** A changed log must be another object: the cache does not weigh the same object twice. */
  const keep = (id: string, { requests, number, size }: RequestLog) => {
    let left = size;
    for (let oldest = number + 1; left > MAX_LOG_BYTES; oldest++) {
      left -= requests[oldest % MAX_REQUESTS]?.size ?? 0;
      requests[oldest % MAX_REQUESTS] = undefined;
    }
    logs.set(id, { requests, number, size: left });
  };
  /** Changes a request, which may have left its log. */
  const change = ({ sandbox: { id }, recorded }: SandboxCredential, how: (request: KeptRequest) => void) => {
    if (recorded === undefined) return;
    const before = recorded.size;
    how(recorded);
    const log = logs.get(id);
    if (log?.requests[recorded.number % MAX_REQUESTS] !== recorded) return;
    keep(id, { ...log, size: log.size + recorded.size - before });
  };
  const abandon = (credential: SandboxCredential) => change(credential, (request) => request.abandon());

  return {
    begin(credential, exchange) {
      const { id } = credential.sandbox;
      const { requests, number: last, size } = logs.get(id) ?? { requests: [], number: reached, size: LOG };
      const number = last + 1;
      const request = new KeptRequest(number, now(), { exchange, credential });
      const replaced = requests[number % MAX_REQUESTS]?.size ?? 0;
      requests[number % MAX_REQUESTS] = request;
      keep(id, { requests, number, size: size + request.size - replaced });
      credential.recorded = request;
      exchange.outgoing.on('close', () => {
        if (!credential.isPerforming) abandon(credential);
      });
    },
    abandon,
    end(exchange, response) {
      const credential = sandboxCredentialOf(exchange);
      if (credential !== undefined) change(credential, (request) => request.respond(response));
    },
    list: (id, after) =>
      (logs.get(id)?.requests ?? [])
        .filter((one): one is KeptRequest => one !== undefined && one.number > after)
        .sort((one, other) => one.number - other.number)
        .map((request) => request.show()),
    clear(id) {
      const log = logs.get(id);
      if (log !== undefined) logs.set(id, { ...log, requests: [], size: LOG });
    },
  };
}
