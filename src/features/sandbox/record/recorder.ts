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
  number: number;
  /** The approximate bytes that the log takes, without its pending requests. */
  size: number;
}

export interface Recorder {
  /** Records a request that has just arrived. It is pending until it gets its response or its client leaves. */
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

  const newLog = (id: string): RequestLog => {
    const log = { requests: [], number: reached, size: LOG };
    logs.set(id, log);
    return log;
  };
  /** Changes a request, which may have left its log. If the request ends, the log gets longer. */
  const change = ({ sandbox: { id }, recorded }: SandboxCredential, how: (request: KeptRequest) => void) => {
    if (recorded === undefined) return;
    const before = recorded.size;
    how(recorded);
    if (recorded.size === before) return;
    const log = logs.get(id);
    if (log?.requests[recorded.number % MAX_REQUESTS] !== recorded) return;
    log.size += recorded.size;
    for (let oldest = log.number + 1; log.size > MAX_LOG_BYTES; oldest++) {
      log.size -= log.requests[oldest % MAX_REQUESTS]?.size ?? 0;
      log.requests[oldest % MAX_REQUESTS] = undefined;
    }
    // The cache does not weigh the same object twice.
    logs.set(id, { ...log });
  };
  const abandon = (credential: SandboxCredential) => change(credential, (request) => request.abandon());

  return {
    begin(credential, exchange) {
      const { id } = credential.sandbox;
      const log = logs.get(id) ?? newLog(id);
      const request = new KeptRequest(++log.number, now(), { exchange, credential });
      log.size -= log.requests[log.number % MAX_REQUESTS]?.size ?? 0;
      log.requests[log.number % MAX_REQUESTS] = request;
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
