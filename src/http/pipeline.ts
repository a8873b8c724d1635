/** A request's way from its head to its response: every check in its place, then the operation. */
import { type Credential, requireScopes } from '../auth/credential.ts';
import type { RateLimiter } from '../auth/rate-limit.ts';
import type { AnyResult } from '../contract/operation.ts';
import { Problem, retryLater, StoreFailure, type StoreFailureReason } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import type { Exchange, Finishable } from './exchange.ts';
import { type AnyInput, ClientGone } from './input.ts';
import { logFields, requireWellFormed } from './request.ts';
import { problemResponse, type Response } from './response.ts';
import type { Router } from './router.ts';

/** Each can be wrapped without any other noticing. Any but the last two may throw a Problem, which becomes the response. */
export interface Steps {
  /** Reads Authorization, and whose token it is: 401. */
  authenticate(exchange: Exchange): Credential | Promise<Credential>;
  /** The parameters, then the body, as the description declares them: 400. */
  readInput(exchange: Exchange): Promise<AnyInput>;
  /** What the operation's handler returns, in the credential's store. */
  perform(exchange: Exchange, input: AnyInput): Promise<AnyResult>;
  /** A result as HTTP, its body written by the declared schema. */
  encode(exchange: Exchange, result: AnyResult): Response;
  /** Gives every response its last fields: CORS, X-Request-Id, Content-Length. It gets refusals of the connection too. */
  finish(exchange: Finishable, response: Response): Response;
  /** The only one that touches the socket. */
  write(exchange: Exchange, response: Response): void | Promise<void>;
}

/** Is told of every response before it is written, and changes nothing: access log, metrics. */
export type Observe = (exchange: Finishable, response: Response) => void;

export interface PipelineParts {
  readonly router: Router;
  readonly steps: Steps;
  readonly rateLimiter: RateLimiter | undefined;
  readonly observers: readonly Observe[];
  readonly log: Logger;
}

export interface Pipeline {
  /** Responds to a request. Never rejects. */
  respond(exchange: Exchange): Promise<void>;
  /** The finished response, seen by the observers, for a connection to write itself. Undefined if that failed. */
  finish(exchange: Finishable, response: Response): Response | undefined;
}

export function createPipeline({ router, steps, rateLimiter, observers, log }: PipelineParts): Pipeline {
  const respond = async (exchange: Exchange): Promise<Response> => {
    const { method = '', url = '/' } = exchange.request;
    requireWellFormed(exchange); // 400
    const found = router.find(method, url); // 404, 405
    if (typeof found === 'function') return found(exchange);
    exchange.match = found;
    const { scopes } = found.operation;
    if (scopes !== undefined) {
      exchange.credential = await steps.authenticate(exchange); // 401
      requireScopes(exchange.credential, scopes); // 403
      // After the scopes, so that only a token's holder pays; before the input, so that wrong requests count.
      const limited = await rateLimiter?.take(exchange.credential); // 429
      if (limited !== undefined) exchange.headers = limited.headers;
      if (limited?.problem !== undefined) throw limited.problem;
    }
    const input = await steps.readInput(exchange); // 400
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
      // A field that HTTP cannot hold. There should be none; but no response may end the process.
      const failed = problemResponse(problemOf(error, exchange));
      await deliver(exchange, failed).catch(() => exchange.request.socket.destroy());
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
