/** A request's way from its head to its response: every check in its place, then the operation. */
import type { Credential } from '../auth/credential.ts';
import type { AnyResult } from '../contract/operation.ts';
import { Problem, retryLater, StoreFailure, type StoreFailureReason } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import type { AnyInput, Exchange, Finishable, Match } from './exchange.ts';
import { ClientGone } from './input.ts';
import { logFields, requireWellFormed } from './request.ts';
import { problemResponse, type Response } from './response.ts';
import type { Page } from './router.ts';

/**
 * The stages of a request. Each can be wrapped without any other noticing. Any but the last two may throw a Problem, which
 * becomes the response.
 */
export interface Steps {
  /** Finds the operation or the page: 404, 405. */
  route(exchange: Exchange): Match | Page;
  /** Reads Authorization and finds the credential of its token: 401. */
  authenticate(exchange: Exchange): Credential | Promise<Credential>;
  /** Whether the credential has every scope that the operation needs: 403. */
  authorize(exchange: Exchange): void;
  /** Counts the request against the credential's rate limit: 429. */
  limitRate(exchange: Exchange): void | Promise<void>;
  /** The parameters, then the body, as the description declares them: 400. */
  readInput(exchange: Exchange): AnyInput | Promise<AnyInput>;
  /** What the operation's handler returns, in the credential's store. */
  perform(exchange: Exchange, input: AnyInput): Promise<AnyResult>;
  /** A result as HTTP, its body written by the declared schema. */
  encode(exchange: Exchange, result: AnyResult): Response;
  /** Adds the last fields to every response, also to a refusal: CORS, X-Request-Id, Content-Length. */
  finish(exchange: Finishable, response: Response): Response;
  /** Hands the response to the socket. */
  write(exchange: Exchange, response: Response): void | Promise<void>;
}

/** A check between the route and the operation. */
export type Check = 'authenticate' | 'authorize' | 'limitRate' | 'readInput';

/**
 * The order of the checks. The rate limit follows the scopes, so that a request costs nobody but the token's holder. It
 * comes before the input, so that a wrong request counts.
 */
export const CHECKS: readonly Check[] = ['authenticate', 'authorize', 'limitRate', 'readInput'];

/** Is called with every response before it is written, and changes nothing: access log, metrics. */
export type Observe = (exchange: Finishable, response: Response) => void;

export interface PipelineParts {
  readonly steps: Steps;
  readonly checks: readonly Check[];
  readonly observers: readonly Observe[];
  readonly log: Logger;
}

export interface Pipeline {
  /** Responds to a request. Never rejects. */
  respond(exchange: Exchange): Promise<void>;
  /** The finished response, seen by the observers, for a connection to write itself. Undefined if that failed. */
  finish(exchange: Finishable, response: Response): Response | undefined;
}

export function createPipeline({ steps, checks, observers, log }: PipelineParts): Pipeline {
  const checkBy: Readonly<Record<Check, (exchange: Exchange) => void | Promise<void>>> = {
    async authenticate(exchange) {
      exchange.credential = await steps.authenticate(exchange); // 401
    },
    authorize: (exchange) => steps.authorize(exchange), // 403
    limitRate: (exchange) => steps.limitRate(exchange), // 429
    async readInput(exchange) {
      exchange.input = await steps.readInput(exchange); // 400
    },
  };
  const forStrangers = checks.filter((check) => check === 'readInput');
  const respond = async (exchange: Exchange): Promise<Response> => {
    requireWellFormed(exchange); // 400
    const found = steps.route(exchange); // 404, 405
    if (typeof found === 'function') return found(exchange);
    exchange.match = found;
    for (const check of found.operation.scopes === undefined ? forStrangers : checks) {
      const checking = checkBy[check](exchange);
      if (checking !== undefined) await checking;
    }
    const { input } = exchange;
    if (input === undefined) throw new Error(`no step has read the input of ${found.operation.id}`);
    return steps.encode(exchange, await steps.perform(exchange, input)); // 40009, 404, 412, 503
  };
  const finish = (exchange: Finishable, response: Response) => {
    const finished = steps.finish(exchange, response);
    for (const observe of observers) observe(exchange, finished);
    return finished;
  };
  const deliver = async (exchange: Exchange, response: Response) => steps.write(exchange, finish(exchange, response));
  const problemOf = (error: unknown, { request, id }: Finishable): Problem => {
    if (error instanceof Problem) return error;
    if (error instanceof StoreFailure) return storeProblem(error);
    log.error({ ...logFields(request, id), err: error }, 'a request failed');
    return new Problem(50000, 'The service failed; its log has the details, under the X-Request-Id of this response.');
  };

  const run = async (exchange: Exchange) => {
    let response: Response;
    try {
      response = await respond(exchange);
    } catch (error) {
      if (error instanceof ClientGone) return;
      response = problemResponse(problemOf(error, exchange));
    }
    // A request whose rest is not HTTP may have been refused meanwhile, and the connection ended with it.
    if (exchange.request.socket.writableEnded) return;
    try {
      await deliver(exchange, response);
    } catch (error) {
      // A stream that failed, or a field that HTTP cannot hold. No response may end the process.
      const failed = problemResponse(problemOf(error, exchange));
      const { outgoing, request } = exchange;
      if (outgoing.headersSent) request.socket.destroy();
      else await deliver(exchange, failed).catch(() => request.socket.destroy());
    }
  };

  return {
    respond: run,
    finish(exchange, response) {
      try {
        return finish(exchange, response);
      } catch (error) {
        problemOf(error, exchange);
        return undefined;
      }
    },
  };
}

/** Seconds after which a failure that lasts until an operator mends it may be asked about again. */
const LASTING_S = 60;
const STORE_PROBLEMS = {
  unreachable: { code: 50300, what: 'cannot be reached', seconds: 1 },
  overloaded: { code: 50301, what: 'is overloaded', seconds: 1 },
  'out-of-space': { code: 50302, what: 'is out of space', seconds: 10 },
} as const satisfies Record<StoreFailureReason, object>;

function storeProblem(failure: StoreFailure): Problem {
  const { code, what, seconds } = STORE_PROBLEMS[failure.reason];
  return retryLater(code, `The store ${what}`, failure.lasting ? LASTING_S : seconds, failure);
}
