/** Owns what is logged and counted of answered requests: the access log, slow and refused requests, and the metrics. */
import type { IncomingMessage } from 'node:http';
import type { Operation } from '../contract/operation.ts';
import { compileRouter } from '../contract/router.ts';
import type { StoreFailureReason } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Reply } from './reply.ts';
import { requestFields } from './request-fields.ts';
import { readTarget } from './target.ts';

interface WatchOptions {
  readonly operations: readonly Operation[];
  readonly prefix: string;
  readonly log: Logger;
  /** Requests that take longer, in milliseconds, are logged. */
  readonly slow: number;
  readonly accessLog: boolean;
  readonly metrics: Metrics | undefined;
}

/** What anybody can cause without a credential is logged this often in a window at most: it must not fill the disk. */
const REFUSALS = 10;
const WINDOW_MS = 60_000;

const SLOW = 'a request was slow';

/** The labels of the metrics: what became of a credential, by error number, and what the store lacked. */
const OUTCOMES: Readonly<Record<number, string>> = {
  40100: 'absent',
  40101: 'invalid',
  40102: 'expired',
  40300: 'scope_missing',
};
const REASONS: Readonly<Record<StoreFailureReason, string>> = {
  unreachable: 'unreachable',
  overloaded: 'overloaded',
  'out-of-space': 'out_of_space',
};

/** The label of requests that reach no operation: pages, and paths or methods that do not exist. */
const OTHER = 'none';

/** Is told of every answer, just before it is written, and how many milliseconds it took. */
export type Watch = (request: IncomingMessage, reply: Reply, requestId: string, milliseconds: number) => void;

export function createWatch(options: WatchOptions): Watch {
  const { log, metrics, slow, accessLog } = options;
  const match = compileRouter(options.operations);
  metrics?.expect([...options.operations.map(({ id }) => id), OTHER], Object.values(REASONS));
  const refused = createWarning(log, 'a credential was refused');
  const slowStranger = createWarning(log, SLOW);
  const unverified = createWarning(log, 'a credential could not be verified, since its issuer cannot be reached');

  const operationOf = (request: IncomingMessage): string => {
    const { path } = readTarget(request.url ?? '/', options.prefix);
    const route = match(path)?.route;
    if (route === undefined) return OTHER;
    return route.operations.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''))?.id ?? OTHER;
  };
  const count = (sink: Metrics, request: IncomingMessage, reply: Reply, milliseconds: number) => {
    sink.answered(operationOf(request), reply.status, milliseconds / 1_000);
    if (reply.problem === undefined) return;
    const { code, lack } = reply.problem;
    const outcome = lack === 'issuer' ? 'unverified' : OUTCOMES[code];
    if (outcome !== undefined) sink.credential(outcome);
    if (lack !== undefined && lack !== 'issuer') sink.storeError(REASONS[lack]);
  };
  const describe = (request: IncomingMessage, reply: Reply, requestId: string, milliseconds: number) => ({
    ...requestFields(request, requestId),
    status: reply.status,
    milliseconds: Math.round(milliseconds * 1_000) / 1_000,
    from: request.socket.remoteAddress,
  });

  return (request, reply, requestId, milliseconds) => {
    if (metrics !== undefined) count(metrics, request, reply, milliseconds);
    const { problem, status } = reply;
    const warn = problem?.lack === 'issuer' ? unverified : status === 401 || status === 403 ? refused : undefined;
    warn?.(() => ({ ...describe(request, reply, requestId, milliseconds), error: problem?.code }));
    if (milliseconds > slow) {
      const fields = () => describe(request, reply, requestId, milliseconds);
      // Strangers can make slow requests too: by tokens of an issuer that does not answer, by asking /readyz, or by sending
      // half a request, whose credential may not have been looked at.
      if (warn !== undefined || problem?.code === 40006 || operationOf(request) === OTHER) slowStranger(fields);
      else log.warn(fields(), SLOW);
    }
    if (accessLog) log.info(describe(request, reply, requestId, milliseconds), 'answered');
  };
}

/** A warning that is given REFUSALS times in a window at the most; the last of them says so. */
function createWarning(log: Logger, message: string): (fields: () => object) => void {
  let left = REFUSALS;
  let until = 0;
  return (fields) => {
    const now = performance.now();
    if (now >= until) {
      until = now + WINDOW_MS;
      left = REFUSALS;
    }
    if (left > 0) log.warn(fields(), left === 1 ? `${message}; further ones are not logged for a minute` : message);
    left = Math.max(left - 1, 0);
  };
}
