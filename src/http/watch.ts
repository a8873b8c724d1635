/** Owns what is told of requests once they are answered: the access log, slow and refused ones, and the metrics. */
import type { IncomingMessage } from 'node:http';
import type { Operation } from '../contract/operation.ts';
import { compileRouter } from '../contract/router.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { traceFields } from '../observe/trace.ts';
import { readTarget } from './pipeline.ts';
import type { Reply } from './reply.ts';

export interface WatchOptions {
  readonly operations: readonly Operation[];
  readonly prefix: string;
  readonly log: Logger;
  /** Requests that take longer, in milliseconds, are logged. */
  readonly slow: number;
  readonly accessLog: boolean;
  readonly metrics: Metrics | undefined;
}

/** Refused credentials are logged so many times in a window at the most: a stranger must not fill the disk. */
const REFUSALS = 10;
const WINDOW_MS = 60_000;

/** What an Error's number says of a credential, and of the store. */
const OUTCOMES: Readonly<Record<number, string>> = {
  40100: 'absent',
  40101: 'invalid',
  40102: 'expired',
  40300: 'scope_missing',
};
const REASONS: Readonly<Record<number, string>> = {
  50300: 'unreachable',
  50301: 'overloaded',
  50302: 'out_of_space',
};

/** Is told of every answer, just before it is written, and how many milliseconds it took. */
export type Watch = (request: IncomingMessage, reply: Reply, requestId: string, milliseconds: number) => void;

/** What is asked of every answer is a few comparisons. */
export function createWatch(options: WatchOptions): Watch {
  const { log, metrics, slow, accessLog } = options;
  const match = compileRouter(options.operations);
  const refused = createQuota(REFUSALS, WINDOW_MS);

  const operationOf = (request: IncomingMessage): string => {
    const { path } = readTarget(request.url ?? '/', options.prefix);
    const route = match(path)?.route;
    if (route === undefined) return 'none';
    return route.operations.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''))?.id ?? 'none';
  };
  const count = (sink: Metrics, request: IncomingMessage, reply: Reply, milliseconds: number) => {
    sink.answered(operationOf(request), reply.status, milliseconds / 1_000);
    const code = errorOf(reply);
    const outcome = OUTCOMES[code];
    const reason = REASONS[code];
    if (outcome !== undefined) sink.credential(outcome);
    if (reason !== undefined) sink.storeError(reason);
  };
  const describe = (request: IncomingMessage, reply: Reply, requestId: string, milliseconds: number) => ({
    requestId,
    ...traceFields(request.headers['traceparent']),
    method: request.method,
    path: pathOf(request.url ?? '/'),
    status: reply.status,
    milliseconds: Math.round(milliseconds * 1_000) / 1_000,
    from: request.socket.remoteAddress,
  });

  return (request, reply, requestId, milliseconds) => {
    if (metrics !== undefined) count(metrics, request, reply, milliseconds);
    if (reply.status === 401 || reply.status === 403) {
      const left = refused();
      const fields = { ...describe(request, reply, requestId, milliseconds), error: errorOf(reply) };
      if (left > 0) log.warn(fields, left === 1 ? 'a credential was refused; more are not told for a minute' : REFUSED);
    }
    if (milliseconds > slow) log.warn(describe(request, reply, requestId, milliseconds), 'a request was slow');
    if (accessLog) log.info(describe(request, reply, requestId, milliseconds), 'answered');
  };
}

/**
 * What is told of a target: its path alone, however odd the target is. Query and fragment hold values of the caller's, and
 * an authority may hold a password (RFC 3986, 3.2.1), also that of a scheme which is not served.
 */
function pathOf(url: string): string {
  return url.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*/s, '') || '/';
}

const REFUSED = 'a credential was refused';

/** How many are left in this window, this one included. */
function createQuota(most: number, windowMs: number): () => number {
  let left = most;
  let until = 0;
  return () => {
    const now = performance.now();
    if (now >= until) {
      until = now + windowMs;
      left = most;
    }
    return left > 0 ? left-- : 0;
  };
}

/** The number in an Error object, which every refusal is. */
function errorOf({ status, body }: Reply): number {
  if (status < 400 || typeof body !== 'string') return 0;
  const { error }: { error?: unknown } = JSON.parse(body);
  return typeof error === 'number' ? error : 0;
}
