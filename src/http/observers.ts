/** The observers that log and count responses: access log, refused and slow requests, outages, metrics. */
import { STORE_FAILURES, StoreFailure } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { readAddress } from './connections/client-address.ts';
import type { Observe } from './pipeline.ts';
import { logFields } from './request.ts';
import type { Response } from './response.ts';

const SLOW = 'a request was slow';

/**
 * Logs refused credentials, refused long requests and responses, and requests that take more than `slow` milliseconds.
 * With `all`, logs every request.
 */
export function requestLog(log: Logger, { slow, all }: { readonly slow: number; readonly all: boolean }): Observe {
  const refused = createWarning(log, 'a credential was refused');
  const unverified = createWarning(log, 'a credential could not be verified, since its issuer cannot be reached');
  const unread = createWarning(
    log,
    'a long request or response was refused, since too many bytes wait for their clients',
  );
  const slowStranger = createWarning(log, SLOW);
  const warningOf = ({ status, problem }: Response) => {
    if (problem?.unavailable === 'issuer') return unverified;
    if (status === 401 || status === 403) return refused;
    return problem?.code === 50301 && problem.unavailable === undefined ? unread : undefined;
  };
  return (exchange, response) => {
    const { request, id, operation, began } = exchange;
    const { status, problem } = response;
    // A feature has staged the error, so neither the service nor the credential is the cause.
    const warning = exchange.staged?.isError ? undefined : warningOf(response);
    const milliseconds = performance.now() - began;
    const fields = () => ({
      ...logFields(request, id),
      status,
      milliseconds: Math.round(milliseconds * 1_000) / 1_000,
      from: readAddress(request.socket.remoteAddress ?? ''),
      note: exchange.staged?.note,
    });
    const fieldsWithError = () => ({ ...fields(), error: problem?.code, why: problem?.why ?? problem?.message });
    // The one line for each request contains everything that a warning would.
    if (all) {
      log.info(fieldsWithError(), milliseconds > slow ? SLOW : 'request');
      return;
    }
    warning?.(fieldsWithError);
    if (milliseconds > slow) {
      // A stranger can also make slow requests: without a credential, with a public credential, with tokens of an
      // issuer that does not respond, or by sending half a request.
      const isStranger =
        warning !== undefined ||
        problem?.code === 40006 ||
        (exchange.credential?.isPublic ?? operation?.scopes === undefined);
      if (isStranger) slowStranger(fields);
      else log.warn(fields(), SLOW);
    }
  };
}

/** Logs that the service closed a new connection from an address, because the limit of `option` is reached. */
export type LogClosed = (option: '--max-connections' | '--max-connections-per-address', address?: string) => void;

export function closedConnectionLog(log: Logger): LogClosed {
  const warn = createWarning(log, 'a new connection was closed, because too many are open');
  return (option, address = '') => {
    warn(() => ({ from: readAddress(address), why: `the limit of ${option} is reached` }));
  };
}

/** Logs when the store stops serving, and when it serves again. */
export interface OutageLog {
  readonly observe: Observe;
  /** Gets the result of each probe of the store. `failure` is undefined if the store can be read. */
  probed(failure?: unknown): void;
}

export function createOutageLog(log: Logger): OutageLog {
  const warn = createWarning(log, 'the store could not serve', 'error');
  /** What fails. A store that can be reached may serve reads and refuse writes: without space, or with a full queue. */
  const failing = new Set<'everything' | 'reads' | 'writes'>();
  let count = 0;
  let isLogged = false;
  const fail = ({ reason, why }: StoreFailure, isWrite: boolean, fields: () => object) => {
    const wasLogged = warn(() => ({ ...fields(), why }));
    if (failing.size === 0) {
      isLogged = wasLogged;
      count = 0;
    }
    failing.add(reason === 'unreachable' ? 'everything' : isWrite ? 'writes' : 'reads');
  };
  const serve = (isWrite: boolean) => {
    if (failing.size === 0) return;
    failing.delete('everything');
    failing.delete('reads');
    if (isWrite) failing.delete('writes');
    if (failing.size === 0 && isLogged) log.info({ failed: count }, 'the store serves again');
  };
  return {
    observe({ request, id, operation }, { status, problem }) {
      if (operation === undefined) return;
      const isWrite = operation.method !== 'GET';
      if (problem?.unavailable instanceof StoreFailure) {
        fail(problem.unavailable, isWrite, () => logFields(request, id));
        count++;
      } else if (status < 400) serve(isWrite);
    },
    probed(failure) {
      if (failure === undefined) serve(false);
      else if (failure instanceof StoreFailure) fail(failure, false, () => ({ path: '/readyz' }));
    },
  };
}

/** The label of requests that reach no operation. */
const OTHER = 'none';
const OUTCOMES: Readonly<Record<number, string>> = {
  40100: 'absent',
  40101: 'invalid',
  40102: 'expired',
  40300: 'scope_missing',
};

/** Counts each response, but no staged errors. */
export function metricsObserver(metrics: Metrics, operations: readonly string[]): Observe {
  metrics.expect([...operations, OTHER], Object.keys(STORE_FAILURES));
  return (exchange, { status, problem }) => {
    if (exchange.staged?.isError) {
      metrics.credential('accepted');
      return;
    }
    metrics.responded(exchange.operation?.id ?? OTHER, status, (performance.now() - exchange.began) / 1_000);
    const unavailable = problem?.unavailable;
    const accepted = exchange.credential === undefined ? undefined : 'accepted';
    const outcome = unavailable === 'issuer' ? 'unverified' : (OUTCOMES[problem?.code ?? 0] ?? accepted);
    if (outcome !== undefined) metrics.credential(outcome);
    if (unavailable instanceof StoreFailure) metrics.storeError(unavailable.reason);
  };
}

/** The most lines of one warning in a window, so that requests cannot fill the disk. */
const MOST = 10;
const WINDOW_MS = 60_000;

/** Creates a warning that is logged at most MOST times in a window. The warning returns whether it was logged. */
function createWarning(
  log: Logger,
  message: string,
  level: 'warn' | 'error' = 'warn',
): (fields: () => object) => boolean {
  let left = MOST;
  let until = 0;
  return (fields) => {
    const now = performance.now();
    if (now >= until) {
      until = now + WINDOW_MS;
      left = MOST;
    }
    if (left === 0) return false;
    log[level](fields(), left === 1 ? `${message}; further ones are not logged for a minute` : message);
    left--;
    return true;
  };
}
